import type { Mode } from '../../contract/words.ts'

// A merchant in one mode. Stock, uses of promotions and order numbers belong to a mode, and test and live mode share none of them.
export interface MerchantMode {
  merchantId: string
  mode: Mode
}
