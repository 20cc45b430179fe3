import type { Mode } from '../../contract/words.ts'

// A merchant in one mode: whose stock, promotion uses and order numbers are meant. Test and live share none of them.
export interface MerchantMode {
  merchantId: string
  mode: Mode
}
