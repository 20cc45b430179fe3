// Every screen of the dashboard. A place of the menu is shown once one of its screens is listed here.

import type { Screen } from './screen.ts'
import { accountScreens } from './screens/account.ts'
import { editAddress } from './screens/address.ts'
import { cancel } from './screens/cancel.ts'
import { categories, newCategory, oneCategory } from './screens/categories.ts'
import {
  customer,
  customerDetails,
  customerErasure,
  customerFile,
  customerNote,
  customers,
} from './screens/customers.ts'
import { developerScreens } from './screens/developers.ts'
import { discounts, newDiscount, oneDiscount } from './screens/discounts.ts'
import { editDraft, newDraft } from './screens/draftform.ts'
import { cancelDraft, draft, drafts, sendDraft } from './screens/drafts.ts'
import { edit } from './screens/edit.ts'
import { home } from './screens/home.ts'
import { pickedProducts } from './screens/itemrows.ts'
import { makers, newMaker, oneMaker } from './screens/makers.ts'
import { moneyBack, pay, undelivered } from './screens/money.ts'
import { settingScreens } from './screens/office.ts'
import { documentOfOrder, order, orderCustomer, orderNote } from './screens/order.ts'
import { orders } from './screens/orders.ts'
import { addPicture, pictures } from './screens/pictures.ts'
import { brand, category, maker, prices } from './screens/prices.ts'
import { print } from './screens/print.ts'
import { newProduct, product } from './screens/product.ts'
import { changeProducts, products } from './screens/products.ts'
import { refund } from './screens/refund.ts'
import { returnExchange } from './screens/returnexchange.ts'
import { returnRefund } from './screens/returnrefund.ts'
import { newReturn, oneReturn, returnAnswers, returnReceipt, returns } from './screens/returns.ts'
import { rowScreens } from './screens/rows.ts'
import { search, searchAnswers } from './screens/search.ts'
import { parcel, send } from './screens/send.ts'
import { sendMany } from './screens/sendmany.ts'
import { guideScreens } from './screens/start.ts'
import { movements, stock } from './screens/stock.ts'
import { store, storeHost, storeHosts } from './screens/store.ts'
import { storeHome, storeSection } from './screens/storehome.ts'
import { storeDraft, storeLook } from './screens/storelook.ts'
import { storeMenu, storeMenuLink, storeMenus } from './screens/storemenus.ts'
import { newStorePage, removeStorePage, storePage, storePages } from './screens/storepages.ts'
import { newStoreRedirect, removeStoreRedirect, storeRedirect, storeRedirects } from './screens/storeredirects.ts'
import { undo } from './screens/undo.ts'
import { closeUnsettled, unsettledPayments } from './screens/unsettled.ts'
import { savedView } from './screens/views.ts'
import { withdrawal, withdrawalReturn, withdrawalStatement, withdrawals } from './screens/withdrawals.ts'

export const screens: readonly Screen[] = [
  home,
  ...guideScreens,
  search,
  searchAnswers,
  undo,
  savedView,
  ...rowScreens,
  orders,
  sendMany,
  print,
  order,
  orderCustomer,
  orderNote,
  documentOfOrder,
  send,
  parcel,
  pay,
  moneyBack,
  undelivered,
  refund,
  edit,
  editAddress,
  cancel,
  returns,
  oneReturn,
  newReturn,
  returnReceipt,
  returnRefund,
  returnExchange,
  ...returnAnswers,
  unsettledPayments,
  closeUnsettled,
  withdrawals,
  withdrawal,
  withdrawalReturn,
  withdrawalStatement,
  drafts,
  pickedProducts,
  editDraft,
  sendDraft,
  newDraft,
  draft,
  cancelDraft,
  customers,
  customer,
  customerDetails,
  customerFile,
  customerNote,
  customerErasure,
  products,
  changeProducts,
  prices,
  category,
  brand,
  maker,
  stock,
  movements,
  categories,
  newCategory,
  oneCategory,
  makers,
  newMaker,
  oneMaker,
  discounts,
  newDiscount,
  oneDiscount,
  store,
  storeHosts,
  storeHost,
  storeLook,
  storeDraft,
  storeHome,
  storeSection,
  storeMenus,
  storeMenu,
  storeMenuLink,
  storePages,
  newStorePage,
  storePage,
  removeStorePage,
  storeRedirects,
  newStoreRedirect,
  storeRedirect,
  removeStoreRedirect,
  ...developerScreens,
  newProduct,
  product,
  pictures,
  addPicture,
  ...settingScreens,
  ...accountScreens,
]
