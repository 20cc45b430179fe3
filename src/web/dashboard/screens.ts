// All screens of the dashboard. A place of the menu is only shown if the screen with its path is listed here.

import type { Screen } from './screen.ts'
import { accountScreens } from './screens/account.ts'
import { editAddressScreen } from './screens/address.ts'
import { cancelOrderScreen } from './screens/cancel.ts'
import { categoriesScreen, categoryScreen, newCategoryScreen } from './screens/categories.ts'
import {
  customerDetailsScreen,
  customerErasureScreen,
  customerFileScreen,
  customerNoteScreen,
  customerScreen,
  customersScreen,
} from './screens/customers.ts'
import { developerScreens } from './screens/developers.ts'
import { discountScreen, discountsScreen, newDiscountScreen } from './screens/discounts.ts'
import { editDraftScreen, newDraftScreen } from './screens/draftform.ts'
import { cancelDraftScreen, draftScreen, draftsScreen, sendDraftScreen } from './screens/drafts.ts'
import { editOrderScreen } from './screens/edit.ts'
import { homeScreen } from './screens/home.ts'
import { pickedProductsScreen } from './screens/itemrows.ts'
import { makerScreen, makersScreen, newMakerScreen } from './screens/makers.ts'
import { moneyBackScreen, recordPaymentScreen, undeliveredOrderScreen } from './screens/money.ts'
import { settingScreens } from './screens/office.ts'
import { documentOfOrderScreen, orderCustomerScreen, orderNoteScreen, orderScreen } from './screens/order.ts'
import { ordersScreen } from './screens/orders.ts'
import { addPictureScreen, picturesScreen } from './screens/pictures.ts'
import { bulkBrandScreen, bulkCategoryScreen, bulkMakerScreen, bulkPricesScreen } from './screens/prices.ts'
import { printOrdersScreen } from './screens/print.ts'
import { newProductScreen, productScreen } from './screens/product.ts'
import { changeProductsScreen, productsScreen } from './screens/products.ts'
import { refundOrderScreen } from './screens/refund.ts'
import { returnExchangeScreen } from './screens/returnexchange.ts'
import { returnRefundScreen } from './screens/returnrefund.ts'
import { newReturnScreen, returnAnswers, returnReceiptScreen, returnScreen, returnsScreen } from './screens/returns.ts'
import { rowScreens } from './screens/rows.ts'
import { searchAnswersScreen, searchScreen } from './screens/search.ts'
import { parcelTrackingScreen, sendParcelScreen } from './screens/send.ts'
import { sendManyOrdersScreen } from './screens/sendmany.ts'
import { guideScreens } from './screens/start.ts'
import { movementsScreen, stockScreen } from './screens/stock.ts'
import { onlineStoreScreen, storeHostScreen, storeHostsScreen } from './screens/store.ts'
import { storeHomeScreen, storeSectionScreen } from './screens/storehome.ts'
import { storeDraftScreen, storeLookScreen } from './screens/storelook.ts'
import { storeMenuLinkScreen, storeMenuScreen, storeMenusScreen } from './screens/storemenus.ts'
import { newStorePageScreen, removeStorePageScreen, storePageScreen, storePagesScreen } from './screens/storepages.ts'
import {
  newStoreRedirectScreen,
  removeStoreRedirectScreen,
  storeRedirectScreen,
  storeRedirectsScreen,
} from './screens/storeredirects.ts'
import { undoScreen } from './screens/undo.ts'
import { closeUnsettledScreen, unsettledPaymentsScreen } from './screens/unsettled.ts'
import { savedViewScreen } from './screens/views.ts'
import {
  withdrawalReturnScreen,
  withdrawalScreen,
  withdrawalStatementScreen,
  withdrawalsScreen,
} from './screens/withdrawals.ts'

export const screens: readonly Screen[] = [
  homeScreen,
  ...guideScreens,
  searchScreen,
  searchAnswersScreen,
  undoScreen,
  savedViewScreen,
  ...rowScreens,
  ordersScreen,
  sendManyOrdersScreen,
  printOrdersScreen,
  orderScreen,
  orderCustomerScreen,
  orderNoteScreen,
  documentOfOrderScreen,
  sendParcelScreen,
  parcelTrackingScreen,
  recordPaymentScreen,
  moneyBackScreen,
  undeliveredOrderScreen,
  refundOrderScreen,
  editOrderScreen,
  editAddressScreen,
  cancelOrderScreen,
  returnsScreen,
  returnScreen,
  newReturnScreen,
  returnReceiptScreen,
  returnRefundScreen,
  returnExchangeScreen,
  ...returnAnswers,
  unsettledPaymentsScreen,
  closeUnsettledScreen,
  withdrawalsScreen,
  withdrawalScreen,
  withdrawalReturnScreen,
  withdrawalStatementScreen,
  draftsScreen,
  pickedProductsScreen,
  editDraftScreen,
  sendDraftScreen,
  newDraftScreen,
  draftScreen,
  cancelDraftScreen,
  customersScreen,
  customerScreen,
  customerDetailsScreen,
  customerFileScreen,
  customerNoteScreen,
  customerErasureScreen,
  productsScreen,
  changeProductsScreen,
  bulkPricesScreen,
  bulkCategoryScreen,
  bulkBrandScreen,
  bulkMakerScreen,
  stockScreen,
  movementsScreen,
  categoriesScreen,
  newCategoryScreen,
  categoryScreen,
  makersScreen,
  newMakerScreen,
  makerScreen,
  discountsScreen,
  newDiscountScreen,
  discountScreen,
  onlineStoreScreen,
  storeHostsScreen,
  storeHostScreen,
  storeLookScreen,
  storeDraftScreen,
  storeHomeScreen,
  storeSectionScreen,
  storeMenusScreen,
  storeMenuScreen,
  storeMenuLinkScreen,
  storePagesScreen,
  newStorePageScreen,
  storePageScreen,
  removeStorePageScreen,
  storeRedirectsScreen,
  newStoreRedirectScreen,
  storeRedirectScreen,
  removeStoreRedirectScreen,
  ...developerScreens,
  newProductScreen,
  productScreen,
  picturesScreen,
  addPictureScreen,
  ...settingScreens,
  ...accountScreens,
]
