import type { Mode } from '../../contract/words.ts'

// A merchant in one mode. Stock, promotion uses and order numbers belong to one mode: test and live share none of them.
export interface MerchantMode {
  merchantId: string
  mode: Mode
}
