// Printed from the contract by `npm run client:print`. Do not edit.

import type { CallOptions, List, ListOptions } from '../call.ts'

/** One method for each operation of the admin surface. */
export interface AdminClient {
  /** Get what there is to do. Counts of what waits for someone, in the mode of the caller. Needs the scope `admin:read`. (getAdminHome) */
  home(options?: CallOptions): Promise<AdminHomeResponse>
  /** Count the orders that wait. Those of the home that are about orders, in the mode of the caller. They cost a tenth of the whole. Needs the scope `admin:read`. (getAdminOrderCounts) */
  orderCounts(options?: CallOptions): Promise<AdminOrderCountsResponse>
  /** Search. Orders, products, SKUs and promotions. Customers are found by the beginning of words, from two letters on, until they are erased. New orders are found a few seconds after they were placed. Needs the scope `admin:read`. (searchAdmin) */
  search(query: {
    /** What to look for. */
    q: string
  }, options?: CallOptions): Promise<AdminSearchResponse>
  orders: {
    /** List orders. Orders of the merchant in the mode of the caller. Needs the scope `admin:read`. (listAdminOrders) */
    list(query?: {
      /** The number of an order or of a parcel, or the code of an item. With admin:customers also beginnings of words of name, e-mail, city and postal code. The newest 200 that match are listed. */
      q?: string | undefined
      /** By status. */
      status?: 'placed' | 'processing' | 'completed' | 'cancelled' | undefined
      /** By paymentStatus. */
      payment?: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided' | undefined
      /** By fulfillmentStatus. */
      fulfillment?: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled' | undefined
      /** true: something can be sent now. */
      toSend?: boolean | undefined
      /** refund_failed: with a refund that failed and was not made again. dispute_open: only disputed ones. dispute_lost: only those of which a bank took money back. */
      attention?: 'refund_failed' | 'dispute_open' | 'dispute_lost' | undefined
      /** agents: made by agents. */
      channel?: 'agents' | undefined
      /** Placed then or later. */
      from?: string | undefined
      /** Placed before. */
      to?: string | undefined
      /** Sold by this installation. */
      installationId?: string | undefined
      /** Placed by this customer. */
      customerId?: string | undefined
      /** By when they were placed. Without it the newest come first. */
      sort?: 'newest' | 'oldest' | undefined
      /** How many rows to answer (default: 50). At most as many as fulfilAdminOrders takes. */
      limit?: number | undefined
    }, options?: ListOptions): List<AdminOrderListResponse, AdminOrderSummary>
    /** Get an order. The order in full, what may be done with it now, and who did what. Needs the scope `admin:read`. (getAdminOrder) */
    get(orderId: string, options?: CallOptions): Promise<AdminOrderResponse>
    /** Get the customer of an order. Name, e-mail, phone and address of who ordered. Each look is an entry in the list of changes. Needs the scope `admin:customers`. (getAdminOrderCustomer) */
    customer(orderId: string, options?: CallOptions): Promise<AdminCustomerResponse>
    /** Get the names of a list of orders. Who ordered, by name alone. The list is one entry in the list of changes; the same one again within ten minutes is none. Needs the scope `admin:customers`. (getAdminOrderNames) */
    names(query: {
      /** Ids of orders, with commas between: at most 200. Others than those of the merchant in the mode of the caller are left out. */
      orderIds: string
    }, options?: CallOptions): Promise<AdminOrderNamesResponse>
    /** Send a parcel. Records a parcel of an order. With the last one the order is completed. Needs the scope `admin:orders`. (fulfilAdminOrder) */
    fulfil(orderId: string, input?: AdminFulfillmentRequest, options?: CallOptions): Promise<AdminFulfillmentResponse>
    /** Record a payment. The money of a bank transfer or a cash payment has come. Needs the scope `admin:orders`. (payAdminOrder) */
    pay(orderId: string, input?: AdminOrderPaymentRequest, options?: CallOptions): Promise<AdminOrderResponse>
    /** Record money of any amount. Money of a bank transfer or in cash that came in part, twice or too much, or was given back. Once the total has come, the order is paid. Needs the scope `admin:orders`. (recordAdminMoney) */
    recordMoney(orderId: string, input: AdminMoneyRequest, options?: CallOptions): Promise<AdminOrderResponse>
    /** Record that an unpaid order came back. What was sent and not paid, such as a parcel that is paid on delivery and was refused at the door, came back. No money is awaited any more. Needs the scope `admin:orders`. (returnAdminOrder) */
    return(orderId: string, input?: AdminUndeliveredRequest, options?: CallOptions): Promise<AdminOrderResponse>
    /** Correct a parcel. Changes the carrier or the tracking of a parcel. Members that are left out stay; null removes. Needs the scope `admin:orders`. (updateAdminFulfillment) */
    updateFulfillment(orderId: string, fulfillmentId: string, input?: AdminFulfillmentUpdateRequest, options?: CallOptions): Promise<AdminFulfillmentUpdateResponse>
    /** Send many parcels. One parcel for each of these orders. Each has an outcome of its own; what is refused is left as it was. Needs the scope `admin:orders`. (fulfilAdminOrders) */
    fulfilMany(input: AdminBulkFulfillmentRequest, options?: CallOptions): Promise<BulkResponse>
    /** Cancel an order. Possible until something was sent. What was paid is refunded. Needs the scope `admin:orders`. (cancelAdminOrder) */
    cancel(orderId: string, input?: AdminOrderCancellationRequest, options?: CallOptions): Promise<AdminOrderCancellationResponse>
    /** Add a note. A note for the people of the shop. No shopper and no app sees it. Needs the scope `admin:orders`. (addAdminOrderNote) */
    addNote(orderId: string, input: AdminOrderNoteRequest, options?: CallOptions): Promise<AdminOrderNoteResponse>
    /** Refund an order. Money goes back the way it came, a moment later. By items, with or without putting them back into stock, or by amount. Needs the scope `admin:refunds`. (refundAdminOrder) */
    refund(orderId: string, input?: AdminRefundRequest, options?: CallOptions): Promise<AdminRefundResponse>
    /** Open a return. For a shopper who asked in another way. It is approved at once, and the shopper gets an e-mail. Needs the scope `admin:orders`. (createAdminReturn) */
    createReturn(orderId: string, input: CreateAdminReturnRequest, options?: CallOptions): Promise<AdminReturnResponse>
    /** Edit an order. Adds or removes items that were not sent, or corrects delivery costs or address. What was paid above the new total goes back; what is missing comes by a link or by hand. Needs the scope `admin:orders`. (editAdminOrder) */
    edit(orderId: string, input?: AdminOrderEditRequest, options?: CallOptions): Promise<AdminOrderEditResponse>
  }
  returns: {
    /** List returns. Returns of the merchant in the mode of the caller. Needs the scope `admin:read`. (listAdminReturns) */
    list(query?: {
      /** Only returns of this status. */
      status?: 'requested' | 'approved' | 'received' | 'refused' | 'closed' | undefined
      /** true: only returns that are not over. false: only those that are. */
      open?: boolean | undefined
      /** Only returns of this order. */
      orderId?: string | undefined
      /** Only returns of this customer. */
      customerId?: string | undefined
      /** Only returns requested then or later. */
      from?: string | undefined
      /** Only returns requested before. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminReturnListResponse, AdminReturnSummary>
    /** Get a return. The return in full, what may be done with it now, and who did what. Needs the scope `admin:read`. (getAdminReturn) */
    get(returnId: string, options?: CallOptions): Promise<AdminReturnResponse>
    /** Approve a return. The shopper may send the items, and is told how by e-mail and on the page of the order. Needs the scope `admin:orders`. (approveAdminReturn) */
    approve(returnId: string, input?: ApproveAdminReturnRequest, options?: CallOptions): Promise<AdminReturnResponse>
    /** Refuse a return. The shopper reads why by e-mail and on the page of the order. Needs the scope `admin:orders`. (refuseAdminReturn) */
    refuse(returnId: string, input: RefuseAdminReturnRequest, options?: CallOptions): Promise<AdminReturnResponse>
    /** Receive items. Items of a return came. What is fit for sale goes back into stock. Possible more than once, until all came. Needs the scope `admin:orders`. (receiveAdminReturn) */
    receive(returnId: string, input?: ReceiveAdminReturnRequest, options?: CallOptions): Promise<AdminReturnResponse>
    /** Refund a return. Gives back what was paid for the items, at the rates of the order. With dryRun it says what would go back, to the cent. Needs the scope `admin:refunds`. (refundAdminReturn) */
    refund(returnId: string, input?: RefundAdminReturnRequest, options?: CallOptions): Promise<RefundAdminReturnResponse>
    /** Exchange items. Places a new order for the shopper, paid by what was paid for the returned items. What is left of that goes back; what is missing is paid by a link, or refused. Needs the scope `admin:refunds`. (exchangeAdminReturn) */
    exchange(returnId: string, input: ExchangeAdminReturnRequest, options?: CallOptions): Promise<ExchangeAdminReturnResponse>
    /** Close a return. Nothing more is expected. The order can have another return then. Needs the scope `admin:orders`. (closeAdminReturn) */
    close(returnId: string, input?: CloseAdminReturnRequest, options?: CallOptions): Promise<AdminReturnResponse>
  }
  withdrawals: {
    /** List withdrawals. Statements by which shoppers withdrew from a contract, in the mode of the caller. Needs the scope `admin:read`. (listAdminWithdrawals) */
    list(query?: {
      /** Only withdrawals of this status. */
      status?: 'received' | 'settled' | undefined
    }, options?: ListOptions): List<AdminWithdrawalListResponse, AdminWithdrawal>
    /** Get a withdrawal. One withdrawal, without what the shopper typed. Needs the scope `admin:read`. (getAdminWithdrawal) */
    get(withdrawalId: string, options?: CallOptions): Promise<AdminWithdrawalResponse>
    /** Get the statement of a withdrawal. What the shopper typed: name, order, e-mail and items. Each look is an entry in the list of changes. Needs the scope `admin:customers`. (getAdminWithdrawalStatement) */
    statement(withdrawalId: string, options?: CallOptions): Promise<AdminWithdrawalStatementResponse>
    /** Settle a withdrawal. Records what came of it. It moves no money and no stock: refund the order for that. May be repeated with another outcome. Needs the scope `admin:orders`. (settleAdminWithdrawal) */
    settle(withdrawalId: string, input: AdminWithdrawalSettlementRequest, options?: CallOptions): Promise<AdminWithdrawalResponse>
    /** Open the return of a withdrawal. For a withdrawal that opened none by itself. It is approved and of all that was sent and can come back; one that is open already is taken instead. Needs the scope `admin:orders`. (openAdminWithdrawalReturn) */
    openReturn(withdrawalId: string, input?: AdminWithdrawalReturnRequest, options?: CallOptions): Promise<AdminWithdrawalResponse>
  }
  customers: {
    /** List customers. Shoppers who ordered, in the mode of the caller, with masked e-mail addresses. A new one is listed a moment after the order. Needs the scope `admin:customers`. (listAdminCustomers) */
    list(query?: {
      /** The number of an order or of a parcel, the code of an item, or beginnings of words of name, e-mail, city and postal code. Customers of the newest 200 orders that match are listed. */
      q?: string | undefined
    }, options?: ListOptions): List<CustomerListResponse, CustomerSummary>
    /** Get a customer. Sums, notes, consents, and who did what. Orders and returns are listed by their own operations with `customerId`. Needs the scope `admin:customers`. (getAdminCustomer) */
    get(customerId: string, options?: CallOptions): Promise<CustomerResponse>
    /** Get who a customer is. Name, e-mail, phone and addresses. Each look is an entry in the list of changes. Needs the scope `admin:customers`. (getAdminCustomerDetails) */
    details(customerId: string, options?: CallOptions): Promise<CustomerDetailsResponse>
    /** Get the data of a customer. What is stored about the person: the newest 500 orders whole, with addresses and returns, and saved addresses. Each look is an entry in the list of changes. Needs the scope `admin:customers`. (getAdminCustomerData) */
    data(customerId: string, options?: CallOptions): Promise<CustomerDataResponse>
    /** Add a note about a customer. A note for the people of the shop. No shopper and no app of theirs sees it. It goes when the person is erased. Needs the scope `admin:customers`. (addAdminCustomerNote) */
    addNote(customerId: string, input: CustomerNoteRequest, options?: CallOptions): Promise<CustomerNoteResponse>
    /** Erase a customer. Erases name, e-mail, phone, addresses, also those saved in the account, and notes, a moment later, and ends the account. What was bought for how much stays, as do invoices, as long as tax law demands. It cannot be undone. Needs the scope `admin:customers`. (eraseAdminCustomer) */
    erase(customerId: string, input?: CustomerErasureRequest, options?: CallOptions): Promise<CustomerErasureResponse>
  }
  drafts: {
    /** List drafts. Drafts of the merchant in the mode of the caller, without their links. Needs the scope `admin:read`. (listAdminDrafts) */
    list(options?: ListOptions): List<DraftListResponse, DraftSummary>
    /** Get a draft. The draft with its lines, its totals and the link for the shopper. Needs the scope `admin:orders`. (getAdminDraft) */
    get(draftId: string, options?: CallOptions): Promise<DraftResponse>
    /** Make a draft. Makes an order for a shopper, holds its stock and answers with the link at which it is paid. With dryRun it says what it would cost, to the cent. Needs the scope `admin:orders`. (createAdminDraft) */
    create(input: CreateDraftRequest, options?: CallOptions): Promise<CreateDraftResponse>
    /** Change a draft. Members that are left out stay. The link stays the same, and the stock follows the items. With dryRun it says what it would cost. Needs the scope `admin:orders`. (updateAdminDraft) */
    update(draftId: string, input?: UpdateDraftRequest, options?: CallOptions): Promise<CreateDraftResponse>
    /** Send the link of a draft. Sends the link to the e-mail address of the draft, at most 5 times. Needs the scope `admin:orders`. (sendAdminDraft) */
    send(draftId: string, input?: SendDraftRequest, options?: CallOptions): Promise<DraftResponse>
    /** Cancel a draft. The link ends, and the stock is free again. Refused while a payment is under way. Needs the scope `admin:orders`. (cancelAdminDraft) */
    cancel(draftId: string, input?: CancelDraftRequest, options?: CallOptions): Promise<DraftResponse>
  }
  documents: {
    /** List invoices and credit notes. An invoice is made seconds after an order was paid, a credit note seconds after a refund. They never change. Needs the scope `admin:read`. (listAdminDocuments) */
    list(query?: {
      /** Only invoices, or only credit notes. */
      kind?: 'invoice' | 'credit_note' | undefined
      /** Only documents of this order. */
      orderId?: string | undefined
      /** Only the document with this number. */
      number?: string | undefined
      /** The first day. */
      from?: string | undefined
      /** The last day. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminDocumentListResponse, AdminDocumentSummary>
    /** Get an invoice or a credit note. With its lines and with the buyer, so each look is written down. Needs the scope `admin:customers`. (getAdminDocument) */
    get(documentId: string, options?: CallOptions): Promise<AdminDocumentResponse>
  }
  reports: {
    /** Taxes of some days. Net, tax and total of the documents of these days, by country and rate: what a VAT return is made from. At most 1,000 days. Needs the scope `admin:read`. (getAdminTaxReport) */
    tax(query?: {
      /** The first day. Default: the first of the month of the last day. */
      from?: string | undefined
      /** The last day. Default: today. */
      to?: string | undefined
    }, options?: CallOptions): Promise<AdminTaxResponse>
    /** Sales of some days. Sales by day, week, month, product, promotion or country, over at most 1,000 days. An order counts on its day. Changes are counted within seconds. Needs the scope `admin:read`. (getAdminSalesReport) */
    sales(query?: {
      /** The first day, such as `2026-06-01`. Default: 29 days before the last. */
      from?: string | undefined
      /** The last day. Default: today. */
      to?: string | undefined
      /** What the rows are. Default: `day`. */
      by?: 'day' | 'week' | 'month' | 'product' | 'promotion' | 'country' | undefined
    }, options?: CallOptions): Promise<AdminSalesResponse>
  }
  exports: {
    /** Export the ledger. The documents of some days for bookkeeping, in the order in which they were made, without the buyers. Its sums are those of getAdminTaxReport. Needs the scope `admin:read`. (listAdminLedger) */
    ledger(query?: {
      /** The first day. Default: the first of the month of the last day. */
      from?: string | undefined
      /** The last day. Default: today. */
      to?: string | undefined
      /** plain (default): CSV with a line for each rate of a document. datev: a batch of postings for DATEV, with accounts of the chart SKR 03. */
      format?: 'plain' | 'datev' | undefined
    }, options?: ListOptions): List<AdminLedgerResponse, AdminLedgerResponse['data']>
    /** Export documents. The documents of some days as getAdminDocument answers them, ten at a time. Each answer is a look at its documents, and is written down. Needs the scope `admin:customers`. (listAdminDocumentExport) */
    documents(query?: {
      /** The first day. Default: the first of the month of the last day. */
      from?: string | undefined
      /** The last day. Default: today. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminDocumentExportResponse, AdminDocument>
    /** Export. Products in the format of Shopify, stock, orders, returns, drafts or promotions as CSV, or a Google feed as XML, some rows an answer. The file is the texts of all answers, one behind the other. Orders, returns and drafts have no data of customers. A cell that begins with `=`, `+`, `-` or `@` gets an apostrophe before it, which an import takes off. Needs the scope `admin:read`. (listAdminExport) */
    list(query: {
      /** What the file lists. google: the published products as a feed for Google Merchant Center. acp: the same as a feed of the Agentic Commerce Protocol, one product a line. `link` is for both, `open` for returns, and the other parameters are for orders; `from` and `to` also for returns, by when they were requested. */
      of: 'products' | 'stock' | 'orders' | 'returns' | 'drafts' | 'promotions' | 'google' | 'acp'
      /** The page of a product in your shop, such as `https://shop.example/products/{slug}`. The feed of a shop that this server shows needs none. */
      link?: string | undefined
      /** true: only returns that are not over. false: only those that are. */
      open?: boolean | undefined
      /** By status. */
      status?: 'placed' | 'processing' | 'completed' | 'cancelled' | undefined
      /** By paymentStatus. */
      payment?: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided' | undefined
      /** By fulfillmentStatus. */
      fulfillment?: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled' | undefined
      /** true: something can be sent now. */
      toSend?: boolean | undefined
      /** refund_failed: with a refund that failed and was not made again. dispute_open: only disputed ones. dispute_lost: only those of which a bank took money back. */
      attention?: 'refund_failed' | 'dispute_open' | 'dispute_lost' | undefined
      /** agents: made by agents. */
      channel?: 'agents' | undefined
      /** Placed then or later. */
      from?: string | undefined
      /** Placed before. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminExportResponse, AdminExportResponse['data']>
    /** Export orders with their customers. The orders of listAdminExport with name, e-mail, phone and address. Each answer is a look at the data of its orders, and is written down. Needs the scope `admin:customers`. (listAdminCustomerExport) */
    customers(query?: {
      /** By status. */
      status?: 'placed' | 'processing' | 'completed' | 'cancelled' | undefined
      /** By paymentStatus. */
      payment?: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided' | undefined
      /** By fulfillmentStatus. */
      fulfillment?: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled' | undefined
      /** true: something can be sent now. */
      toSend?: boolean | undefined
      /** refund_failed: with a refund that failed and was not made again. dispute_open: only disputed ones. dispute_lost: only those of which a bank took money back. */
      attention?: 'refund_failed' | 'dispute_open' | 'dispute_lost' | undefined
      /** agents: made by agents. */
      channel?: 'agents' | undefined
      /** Placed then or later. */
      from?: string | undefined
      /** Placed before. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminExportResponse, AdminExportResponse['data']>
  }
  payments: {
    /** List payments that need a person. Payments whose provider has not reported an outcome for more than a day (for a bank debit: two weeks), or took another amount. Needs the scope `admin:read`. (listAdminUnsettledPayments) */
    unsettledPayments(options?: ListOptions): List<AdminUnsettledPaymentsResponse, AdminSinglePayment>
    /** Get a payment. One payment, with its order and whether it can be closed. Needs the scope `admin:read`. (getAdminPayment) */
    get(paymentId: string, options?: CallOptions): Promise<AdminPaymentResponse>
    /** Close a payment by hand. Ends a payment by the outcome that you saw at the provider. What follows is what would have followed from its own answer; it is not asked any more. Needs the scope `admin:orders`. (closeAdminPayment) */
    close(paymentId: string, input: AdminPaymentClosureRequest, options?: CallOptions): Promise<AdminPaymentResponse>
  }
  products: {
    /** List products. Products of the merchant. Archived ones are listed only with status=archived. Needs the scope `admin:read`. (listAdminProducts) */
    list(query?: {
      /** In the name, the brand or the slug, or at the beginning of a SKU code. */
      q?: string | undefined
      /** Without it, all that are not archived. */
      status?: 'published' | 'hidden' | 'archived' | undefined
      /** Only products in this category itself. */
      categoryId?: string | undefined
      /** A whole brand. Case does not matter. */
      brand?: string | undefined
      /** Slug of a maker. */
      maker?: string | undefined
      /** Only products without it. */
      lacks?: 'maker' | undefined
      tag?: string | undefined
      /** Only products with a SKU that is low or out, as in the list of SKUs. */
      stock?: 'low' | 'out' | undefined
      /** By the last change. Without it the newest come first. */
      sort?: 'newest' | 'oldest' | undefined
      /** How many rows to answer (default: 50). At most as many as updateAdminProducts takes. */
      limit?: number | undefined
    }, options?: ListOptions): List<AdminProductListResponse, AdminProductSummary>
    /** Get a product. The product in full, as it can be changed and sent back, with its version and the stock of its SKUs. Needs the scope `admin:read`. (getAdminProduct) */
    get(productId: string, options?: CallOptions): Promise<AdminProductResponse>
    /** Create a product. It is in the catalog at once, unless `published` is false. Needs the scope `admin:catalog`. (createAdminProduct) */
    create(input: CreateAdminProductRequest, options?: CallOptions): Promise<AdminProductChangeResponse>
    /** Replace a product. Changes the product to what the request says. After version_conflict, `current` has the product as it is now. Needs the scope `admin:catalog`. (replaceAdminProduct) */
    replace(productId: string, input: ReplaceAdminProductRequest, options?: CallOptions): Promise<AdminProductChangeResponse>
    /** Change many products. Publishes, hides or archives products, changes category, brand, maker or tag, or prices by a percentage. Each product has an outcome of its own. Together they have at most 2,000 SKUs. Needs the scope `admin:catalog`. (updateAdminProducts) */
    updateMany(input: UpdateAdminProductsRequest, options?: CallOptions): Promise<BulkResponse>
  }
  skus: {
    /** List SKUs. SKUs with price and stock. SKUs of archived products and retired ones are left out. Needs the scope `admin:read`. (listAdminSkus) */
    list(query?: {
      /** At the beginning of the code, or in the name of the product or the SKU, or in the brand. */
      q?: string | undefined
      /** low: for sale while in stock, and at or below the mark of the shop. out: none left. */
      stock?: 'low' | 'out' | undefined
      /** Id of a product. */
      productId?: string | undefined
      /** Those without a content, from which the unit price is computed. */
      measure?: 'missing' | undefined
      /** By code, or the least stock first (default: code). */
      sort?: 'code' | 'stock' | undefined
      /** How many rows to answer (default: 50). At most as many as updateAdminSkus takes. */
      limit?: number | undefined
    }, options?: ListOptions): List<AdminSkuListResponse, AdminSku>
    /** List the stock movements of a SKU. Every change of the stock. Their sum is the stock. Needs the scope `admin:read`. (listAdminStockMovements) */
    stockMovements(skuId: string, options?: ListOptions): List<AdminStockMovementListResponse, AdminStockMovement>
    /** Change prices and stock of many SKUs. Stock is changed in the mode of the caller: by a difference, or to a count that is refused if the stock has changed since it was seen. Prices that were seen can be named too. Each row has an outcome of its own. Needs the scope `admin:catalog`. (updateAdminSkus) */
    updateMany(input: UpdateAdminSkusRequest, options?: CallOptions): Promise<BulkResponse>
  }
  brands: {
    /** List brands. Every brand that a product has. A brand is there as long as a product has it. Needs the scope `admin:read`. (listAdminBrands) */
    list(query?: {
      /** How many rows to answer (default: 50). At most as many as updateAdminProducts takes. */
      limit?: number | undefined
    }, options?: ListOptions): List<AdminBrandListResponse, AdminBrand>
  }
  categories: {
    /** List categories. The tree of categories; `parentId` and `path` say where each one is. Needs the scope `admin:read`. (listAdminCategories) */
    list(options?: ListOptions): List<AdminCategoryListResponse, AdminCategory>
    /** Create a category. `parent` is the slug of an existing category. Needs the scope `admin:catalog`. (createAdminCategory) */
    create(input: CreateAdminCategoryRequest, options?: CallOptions): Promise<AdminCategoryResponse>
    /** Replace a category. Changes its texts and its place in the tree. Needs the scope `admin:catalog`. (replaceAdminCategory) */
    replace(categoryId: string, input: ReplaceAdminCategoryRequest, options?: CallOptions): Promise<AdminCategoryResponse>
    /** Remove a category. Only one without products, without categories below it, and without promotions for it. Needs the scope `admin:catalog`. (removeAdminCategory) */
    remove(categoryId: string, input: RemoveAdminCategoryRequest, options?: CallOptions): Promise<RemoveAdminCategoryResponse>
  }
  promotions: {
    /** List promotions. Codes with their status and their uses. Needs the scope `admin:read`. (listAdminPromotions) */
    list(query?: {
      /** At the beginning of the code. */
      q?: string | undefined
      status?: 'disabled' | 'expired' | 'scheduled' | 'exhausted' | 'active' | undefined
    }, options?: ListOptions): List<AdminPromotionListResponse, AdminPromotion>
    /** Get a promotion. The promotion as it can be changed and sent back. Needs the scope `admin:read`. (getAdminPromotion) */
    get(promotionId: string, options?: CallOptions): Promise<AdminPromotionResponse>
    /** Create a promotion. It can be used at once, unless `startsAt` or `disabled` says otherwise. Needs the scope `admin:catalog`. (createAdminPromotion) */
    create(input: CreateAdminPromotionRequest, options?: CallOptions): Promise<AdminPromotionResponse>
    /** Replace a promotion. Its uses stay. `disabled: true` stops it. Needs the scope `admin:catalog`. (replaceAdminPromotion) */
    replace(promotionId: string, input: ReplaceAdminPromotionRequest, options?: CallOptions): Promise<AdminPromotionResponse>
  }
  makers: {
    /** List makers. Who makes the products, with the addresses that shoppers are shown. Needs the scope `admin:read`. (listAdminMakers) */
    list(query?: {
      /** In the name or the slug. */
      q?: string | undefined
      /** How many rows to answer (default: 50). At most as many as updateAdminProducts takes. */
      limit?: number | undefined
    }, options?: ListOptions): List<AdminMakerListResponse, AdminMaker>
    /** Create a maker. Products name it by its slug. Needs the scope `admin:catalog`. (createAdminMaker) */
    create(input: CreateAdminMakerRequest, options?: CallOptions): Promise<AdminMakerResponse>
    /** Replace a maker. Every product that names it shows the new addresses. Needs the scope `admin:catalog`. (replaceAdminMaker) */
    replace(makerId: string, input: ReplaceAdminMakerRequest, options?: CallOptions): Promise<AdminMakerResponse>
    /** Remove a maker. Only one that no product names. Needs the scope `admin:catalog`. (removeAdminMaker) */
    remove(makerId: string, input: RemoveAdminMakerRequest, options?: CallOptions): Promise<AdminMakerResponse>
  }
  pictures: {
    /** Upload a picture. Stores a file and answers with its path, to be used as the picture of a product, a SKU or a category. The same file again answers with the same path. Needs the scope `admin:catalog`. (uploadAdminPicture) */
    upload(input: AdminPictureRequest, options?: CallOptions): Promise<AdminPictureResponse>
    /** Show how far pictures of imports are brought over. Pictures of imported products that are on other servers are copied to this one, so they stay when the old shop is closed. How many are here, and why others are not. Needs the scope `admin:read`. (getAdminRemotePictures) */
    remotePictures(options?: CallOptions): Promise<AdminRemotePicturesResponse>
  }
  shop: {
    /** Get the shop. The merchant with taxes, shipping and payment methods. Needs the scope `admin:read`. (getAdminShop) */
    get(options?: CallOptions): Promise<AdminShopResponse>
    /** Change the shop. What is left out stays as it is. The currency can change only while there is no product. The slug stays. Needs the scope `admin:settings`. (updateAdminShop) */
    update(input: UpdateAdminShopRequest, options?: CallOptions): Promise<AdminShopChangeResponse>
    /** Replace the tax rates. The list replaces the one before. Open carts are priced with the new rates. Needs the scope `admin:settings`. (replaceAdminTaxes) */
    replaceTaxes(input: ReplaceAdminTaxesRequest, options?: CallOptions): Promise<AdminShopChangeResponse>
    /** Replace the shipping zones. The list replaces the one before. Without a zone nothing that is shipped can be sold. Needs the scope `admin:settings`. (replaceAdminShipping) */
    replaceShipping(input: ReplaceAdminShippingRequest, options?: CallOptions): Promise<AdminShopChangeResponse>
    /** Change a payment method. A way to pay without a payment provider, in the mode of the caller. Needs the scope `admin:settings`. (updateAdminPaymentProvider) */
    updatePaymentProvider(provider: string, input: UpdateAdminPaymentProviderRequest, options?: CallOptions): Promise<AdminShopChangeResponse>
    /** Connect an account at a payment provider. The provider is asked whether it accepts the keys, which must be of the mode of the caller, and is given the address for notices. What is wrong with the keys is in `issues`. Needs the scope `admin:settings`. (connectAdminPaymentAccount) */
    connectPaymentAccount(input: ConnectAdminPaymentAccountRequest, options?: CallOptions): Promise<AdminPaymentAccountResponse>
    /** Check an account at a payment provider. Asks the provider now whether the account works. Needs the scope `admin:settings`. (checkAdminPaymentAccount) */
    checkPaymentAccount(accountId: string, options?: CallOptions): Promise<AdminPaymentAccountCheckResponse>
    /** Replace the keys of an account. The new keys must be of the same account at the provider. Secrets of notices from before are accepted for 24 hours. Needs the scope `admin:settings`. (replaceAdminPaymentKeys) */
    replacePaymentKeys(accountId: string, input: ReplaceAdminPaymentKeysRequest, options?: CallOptions): Promise<AdminPaymentAccountResponse>
    /** Disconnect an account at a payment provider. It takes no new payment from now on. Its own are still looked up and refunded, so its key must stay valid at the provider until they are settled. Needs the scope `admin:settings`. (disconnectAdminPaymentAccount) */
    disconnectPaymentAccount(accountId: string, input?: EndAdminPaymentAccountRequest, options?: CallOptions): Promise<AdminPaymentAccountEndResponse>
  }
  texts: {
    /** List legal texts. Terms, withdrawal instruction, notices and the other texts, as they hold now, in each language. Needs the scope `admin:read`. (getAdminTexts) */
    getMany(options?: CallOptions): Promise<AdminTextListResponse>
    /** Save a legal text. Makes a new version, which holds from now on. Orders keep the version that held when they were placed. Needs the scope `admin:settings`. (saveAdminText) */
    save(input: AdminTextRequest, options?: CallOptions): Promise<AdminTextResponse>
  }
  duties: {
    /** List duties by law. What the law of the countries that the shop sells to demands, with date and source, and what of it is done or missing here. It does not say that a shop is lawful. Needs the scope `admin:read`. (getAdminDuties) */
    get(options?: CallOptions): Promise<AdminDutiesResponse>
  }
  site: {
    /** Get the site. The online store that this server shows, in the mode of the caller: whether it is open, and where it is. Needs the scope `admin:read`. (getAdminSite) */
    get(options?: CallOptions): Promise<AdminSiteResponse>
    /** Replace the draft of the site. Look, home and menus are what the body says once they are published. A body that equals what is published ends the draft. Needs the scope `admin:settings`. (replaceAdminSite) */
    replace(input: ReplaceAdminSiteRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Publish the draft of the site. Shoppers see it from now on. Checkout, order page, account and e-mails wear the same look. Needs the scope `admin:settings`. (publishAdminSite) */
    publish(input: SiteTransitionRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Open the site. From now on everyone can see the online store and buy there. Needs the scope `admin:settings`. (openAdminSite) */
    open(input: SiteTransitionRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Close the site. Shoppers see a page that says so. Checkouts that are open can still be paid. Needs the scope `admin:settings`. (closeAdminSite) */
    close(input: SiteTransitionRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Add a host. A name under which shoppers reach the shop. It counts once it is proved: by a TXT record, or by this server answering under it. It is looked for at once and for a week. Needs the scope `admin:settings`. (addAdminHost) */
    addHost(input: AdminHostAddRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Look for the proof of a host. At once, and again for a week. The outcome is in the site a few seconds later. Needs the scope `admin:settings`. (checkAdminHost) */
    checkHost(host: string, input?: AdminHostActionRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Make a host the main one. The other hosts lead to it, and links name it. Needs the scope `admin:settings`. (makeAdminHostMain) */
    makeHostMain(host: string, input?: AdminHostActionRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** Remove a host. The shop is no longer shown there. Needs the scope `admin:settings`. (removeAdminHost) */
    removeHost(host: string, input?: AdminHostActionRequest, options?: CallOptions): Promise<AdminSiteChangeResponse>
    /** List pages. The pages of the online store, without their texts. Needs the scope `admin:read`. (getAdminPages) */
    pages(options?: CallOptions): Promise<AdminPageListResponse>
    /** Get a page. One page with its text. Needs the scope `admin:read`. (getAdminPage) */
    page(slug: string, options?: CallOptions): Promise<AdminPageResponse>
    /** Create a page. A page of the online store, such as About or Terms, below its own path. Needs the scope `admin:settings`. (createAdminPage) */
    createPage(input: CreateAdminPageRequest, options?: CallOptions): Promise<AdminPageChangeResponse>
    /** Replace a page. The page is what the body says. Its path stays. Needs the scope `admin:settings`. (replaceAdminPage) */
    replacePage(slug: string, input: ReplaceAdminPageRequest, options?: CallOptions): Promise<AdminPageChangeResponse>
    /** Remove a page. Its address is not found from now on. Needs the scope `admin:settings`. (removeAdminPage) */
    removePage(slug: string, input: RemoveAdminPageRequest, options?: CallOptions): Promise<AdminPageChangeResponse>
    /** List redirects. Old paths of the shop and where they lead. Renames, removals and imports make them, and so does the merchant. Needs the scope `admin:read`. (listAdminRedirects) */
    redirects(query?: {
      /** A part of either path. */
      q?: string | undefined
      cause?: 'merchant' | 'rename' | 'removal' | 'import' | undefined
    }, options?: ListOptions): List<AdminRedirectListResponse, AdminRedirect>
    /** Get a redirect. One old path. Needs the scope `admin:read`. (getAdminRedirect) */
    redirect(redirectId: string, options?: CallOptions): Promise<AdminRedirectResponse>
    /** Create a redirect. It counts where the shop shows nothing else. If its target leads on, it leads there at once; redirects to its path follow it. Needs the scope `admin:settings`. (createAdminRedirect) */
    createRedirect(input: CreateAdminRedirectRequest, options?: CallOptions): Promise<AdminRedirectChangeResponse>
    /** Replace a redirect. It leads to another path. Its own path stays. Needs the scope `admin:settings`. (replaceAdminRedirect) */
    replaceRedirect(redirectId: string, input: ReplaceAdminRedirectRequest, options?: CallOptions): Promise<AdminRedirectChangeResponse>
    /** Remove a redirect. Its path is not found from now on. Needs the scope `admin:settings`. (removeAdminRedirect) */
    removeRedirect(redirectId: string, input: RemoveAdminRedirectRequest, options?: CallOptions): Promise<AdminRedirectChangeResponse>
  }
  agents: {
    /** Get what agents may do. Agents are software that buys for shoppers. In the mode of the caller. Needs the scope `admin:read`. (getAdminAgents) */
    getMany(options?: CallOptions): Promise<AdminAgentsResponse>
    /** Change what agents may do. In the mode of the caller. Orders of agents belong to an installation of their own. Needs the scope `admin:settings`. (updateAdminAgents) */
    updateMany(input: UpdateAdminAgentsRequest, options?: CallOptions): Promise<AdminAgentsChangeResponse>
    /** Rotate the signing key. A new key signs what is sent to platforms at once. The former one stays in the profile for 7 days. Needs the scope `admin:developers`. (rotateAdminAgentSigningKey) */
    rotateSigningKey(input?: AdminAgentKeyRequest, options?: CallOptions): Promise<AdminAgentsChangeResponse>
    /** List platforms. Platforms whose agents called the shop or were entered, in the mode of the caller. Needs the scope `admin:read`. (listAdminAgentPlatforms) */
    platforms(options?: ListOptions): List<AdminAgentPlatformListResponse, AdminAgentPlatform>
    /** Enter a platform. Approves it (default) before it has called, or changes the one with this profile. Needs the scope `admin:settings`. (createAdminAgentPlatform) */
    createPlatform(input: CreateAdminAgentPlatformRequest, options?: CallOptions): Promise<AdminAgentPlatformResponse>
    /** Approve or block a platform. It holds from the next call on. Calls to its webhook can be paused and sent later. Needs the scope `admin:settings`. (updateAdminAgentPlatform) */
    updatePlatform(platformId: string, input: UpdateAdminAgentPlatformRequest, options?: CallOptions): Promise<AdminAgentPlatformResponse>
    /** Create a key for a platform. For a platform that does not sign its requests: it sends the key as X-API-Key or Bearer, by ACP as Bearer alone. It is of no use elsewhere. The former key of the platform ends. Needs the scope `admin:developers`. (createAdminAgentKey) */
    createKey(platformId: string, input?: AdminAgentKeyRequest, options?: CallOptions): Promise<AdminAgentKeyResponse>
    /** Enter the webhook of a platform. For a platform that buys by ACP, which has no profile to name one: it is called when its orders change. Entered again, the address changes and a new secret signs at once. Needs the scope `admin:developers`. (createAdminAgentWebhook) */
    createWebhook(platformId: string, input: AdminAgentWebhookRequest, options?: CallOptions): Promise<AdminAgentWebhookResponse>
  }
  installations: {
    /** List installations. What acts for the merchant: apps and assistants that were approved, and installations of its own. Needs the scope `admin:developers`. (listAdminInstallations) */
    list(options?: ListOptions): List<AdminInstallationListResponse, AdminInstallation>
    /** Create an installation. In the mode of the caller. Apps are installed by a person, with OAuth. Needs the scope `admin:developers`. (createAdminInstallation) */
    create(input: AdminInstallationCreateRequest, options?: CallOptions): Promise<AdminInstallationResponse>
    /** End an installation. Its keys and tokens no longer work, its webhook endpoints are removed, and its open checkouts end. Its orders stay. The request has a body, for its idempotency key. Needs the scope `admin:developers`. (endAdminInstallation) */
    end(installationId: string, input?: AdminEndRequest, options?: CallOptions): Promise<AdminInstallationResponse>
  }
  keys: {
    /** List keys. API keys of all installations. The keys themselves are not stored. Needs the scope `admin:developers`. (listAdminKeys) */
    list(query?: {
      /** Only keys of this installation. */
      installationId?: string | undefined
    }, options?: ListOptions): List<AdminKeyListResponse, AdminKey>
    /** Create a key. Answers the key this once. A key or an app gives only open scopes that it has itself, and what it makes ends with it; admin scopes are given by a person. An app makes keys only for its own installation, with at most the scopes that it was granted. A publishable key reads the catalog without stock numbers, and makes carts and checkouts, on the pages that it is bound to. Needs the scope `admin:developers`. (createAdminKey) */
    create(input: AdminKeyCreateRequest, options?: CallOptions): Promise<AdminKeyCreateResponse>
    /** Rotate a key. Makes a successor with the same scopes; the old key works for a while. A key with admin scopes is rotated by a person who has them, others by a person or by a key or app that has their scopes. Needs the scope `admin:developers`. (rotateAdminKey) */
    rotate(keyId: string, input?: AdminKeyRotateRequest, options?: CallOptions): Promise<AdminKeyRotateResponse>
    /** Revoke a key. At once, with the keys that it made. Revoking a revoked key is not an error. The request has a body, for its idempotency key. Needs the scope `admin:developers`. (revokeAdminKey) */
    revoke(keyId: string, input?: AdminEndRequest, options?: CallOptions): Promise<AdminKeyResponse>
  }
  webhooks: {
    /** List webhook endpoints. Endpoints of all installations, with their health. Needs the scope `admin:developers`. (listAdminWebhookEndpoints) */
    endpoints(query?: {
      /** Only endpoints of this installation. */
      installationId?: string | undefined
    }, options?: ListOptions): List<AdminWebhookEndpointListResponse, AdminWebhookEndpoint>
    /** Create a webhook endpoint. Answers the secret that signs the calls, this once. Without events it gets all of them; events about the shop need admin:read. An endpoint that a key makes ends with that key or its successor. Needs the scope `admin:developers`. (createAdminWebhookEndpoint) */
    createEndpoint(input: AdminWebhookEndpointCreateRequest, options?: CallOptions): Promise<AdminWebhookSecretResponse>
    /** Change a webhook endpoint. Members that are left out stay as they are. Enabling one that was paused or disabled sends what has waited. Needs the scope `admin:developers`. (updateAdminWebhookEndpoint) */
    updateEndpoint(endpointId: string, input?: AdminWebhookEndpointUpdateRequest, options?: CallOptions): Promise<AdminWebhookEndpointResponse>
    /** Remove a webhook endpoint. What waits for it is not sent. The request has a body, for its idempotency key. Needs the scope `admin:developers`. (removeAdminWebhookEndpoint) */
    removeEndpoint(endpointId: string, input?: AdminEndRequest, options?: CallOptions): Promise<AdminWebhookEndpointRemovedResponse>
    /** Rotate the secret of a webhook endpoint. The new secret signs at once, and for a day the former one beside it. Needs the scope `admin:developers`. (rotateAdminWebhookSecret) */
    rotateSecret(endpointId: string, input?: AdminEndRequest, options?: CallOptions): Promise<AdminWebhookSecretResponse>
    /** Call a webhook endpoint to test it. Sends webhook.ping to this endpoint alone. Look up the delivery to see what became of it. Needs the scope `admin:developers`. (testAdminWebhookEndpoint) */
    testEndpoint(endpointId: string, input?: AdminEndRequest, options?: CallOptions): Promise<AdminWebhookTestResponse>
    /** List webhook deliveries. Of all endpoints of the merchant, or of one. Needs the scope `admin:developers`. (listAdminWebhookDeliveries) */
    deliveries(query?: {
      /** Only calls to this endpoint. */
      endpointId?: string | undefined
      /** Only deliveries of this status. */
      status?: 'pending' | 'sending' | 'retrying' | 'held' | 'succeeded' | 'failed' | 'blocked' | 'discarded' | undefined
      /** Only events of this type. */
      type?: 'cart.created' | 'cart.updated' | 'cart.converted' | 'cart.expired' | 'checkout_session.created' | 'checkout_session.completed' | 'checkout_session.payment_failed' | 'checkout_session.cancelled' | 'checkout_session.expired' | 'order.placed' | 'order.paid' | 'order.processing' | 'order.fulfilled' | 'order.completed' | 'order.cancelled' | 'order.refunded' | 'order.refund_failed' | 'order.returned' | 'draft.created' | 'draft.updated' | 'draft.completed' | 'draft.cancelled' | 'draft.expired' | 'order.edited' | 'document.issued' | 'return.requested' | 'return.approved' | 'return.refused' | 'return.received' | 'return.exchanged' | 'return.closed' | 'withdrawal.received' | 'inventory.low' | 'inventory.depleted' | 'inventory.replenished' | 'promotion.exhausted' | 'app.installed' | 'app.uninstalled' | 'product.created' | 'product.updated' | 'product.unpublished' | 'promotion.created' | 'promotion.updated' | 'shop.updated' | 'webhook.endpoint_disabled' | 'webhook.delivery_failed' | 'webhook.ping' | 'webhook.fixture' | undefined
      /** Only deliveries made then or later. */
      from?: string | undefined
      /** Only deliveries made before. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminWebhookDeliveryListResponse, AdminWebhookDelivery>
    /** Get a webhook delivery. With the body of the call, as long as it is stored. Needs the scope `admin:developers`. (getAdminWebhookDelivery) */
    delivery(deliveryId: string, options?: CallOptions): Promise<AdminWebhookDeliveryResponse>
    /** Replay webhook deliveries. Sends events once more to the same endpoints: named ones, or those of an endpoint that failed. Each has its own outcome. Needs the scope `admin:developers`. (replayAdminWebhookDeliveries) */
    replayDeliveries(input?: AdminWebhookReplayRequest, options?: CallOptions): Promise<AdminWebhookReplayResponse>
  }
  people: {
    /** See what is demanded of members. Whether a second factor is demanded, and how many have none. Needs the scope `admin:people`. (getAdminPeople) */
    get(options?: CallOptions): Promise<AdminPeopleResponse>
    /** Demand a second factor of everyone. Or no longer: that is for a person, not for a key or an app (403 `person_required`). It holds from the next click of each person. Needs the scope `admin:people`. (updateAdminPeople) */
    update(input: AdminPeopleUpdateRequest, options?: CallOptions): Promise<AdminPeopleResponse>
  }
  members: {
    /** List members. The people who act for the merchant, and invitations that were not accepted yet. Needs the scope `admin:people`. (listAdminMembers) */
    list(options?: ListOptions): List<AdminMemberListResponse, AdminMember>
    /** Invite a member. Sends a link with which the person joins, and shows it to a person who asks. A key or an app does not see it, and is refused where the server sends no mail (409 `mail_off`). Inviting the same address again makes a new link, and the one before no longer works. A role is given only by a caller who has all of its scopes, and one with `admin:people` only by a person. The invitation of a key or an app ends with it. Needs the scope `admin:people`. (inviteAdminMember) */
    invite(input: AdminMemberInviteRequest, options?: CallOptions): Promise<AdminInvitationResponse>
    /** Change the role of a member. Takes effect with the person’s next request. The person is told by mail. A role is given or taken away only by a caller who has all of its scopes; one with `admin:people` is given only by a person. Needs the scope `admin:people`. (updateAdminMember) */
    update(memberId: string, input: AdminMemberUpdateRequest, options?: CallOptions): Promise<AdminMemberResponse>
    /** Remove a member or take an invitation back. Signs the person out everywhere. The request has a body, for its idempotency key. Needs the scope `admin:people`. (removeAdminMember) */
    remove(memberId: string, input?: AdminMemberRemoveRequest, options?: CallOptions): Promise<AdminMemberRemovedResponse>
    /** Make a link for a new password. For a member who cannot sign in. A person sees the link; what a key or an app makes is only in an e-mail to the member, and ends with the key or app (409 `mail_off` where the server sends no mail). The member is told by mail when a link was made and when it was used. The one before no longer works. The second factor stays. Not for a person who also acts for another merchant, nor for a role with a scope that the caller does not have; for a role with `admin:people` only by a person. Needs the scope `admin:people`. (resetAdminMemberPassword) */
    resetPassword(memberId: string, input?: AdminPasswordResetRequest, options?: CallOptions): Promise<AdminPasswordResetResponse>
    /** Sign a member out. Everywhere, also where the person acts for other merchants. The next click asks to sign in. Only by a caller who has all scopes of the member’s role. The request has a body, for its idempotency key. Needs the scope `admin:people`. (endAdminMemberSessions) */
    endSessions(memberId: string, input?: AdminSessionsEndRequest, options?: CallOptions): Promise<AdminSessionsEndedResponse>
  }
  changes: {
    /** List changes. Who changed what, and who looked at data of customers, in the mode of the caller. Needs the scope `admin:read`. (listAdminChanges) */
    list(query?: {
      /** Only this entry, with 50 of its changes on each page; `meta.next` leads to the following ones. */
      changeId?: string | undefined
      /** Only changes of the thing with this id. */
      subjectId?: string | undefined
      /** Only changes by this user, key or installation. */
      actorId?: string | undefined
      /** Only changes by this operationId. */
      operation?: string | undefined
      /** Only changes then or later. */
      from?: string | undefined
      /** Only changes before. */
      to?: string | undefined
    }, options?: ListOptions): List<AdminChangeListResponse, AdminChange>
    /** Take a change back. Puts each member back to what it was. What was changed since is refused with change_overtaken, and nothing is put back. Needs the scope of the change too. What was created is archived (products), disabled (promotions), retired (SKUs) or removed (categories). Stock goes back by the difference, so a sale stays. Money, parcels, keys and people are not taken back. Needs the scope `admin:read`. (undoAdminChange) */
    undo(changeId: string, input?: AdminUndoRequest, options?: CallOptions): Promise<AdminUndoResponse>
  }
  transfers: {
    /** List imports. Imports of the last 7 days, in the mode of the caller. Needs the scope `admin:read`. (listAdminTransfers) */
    list(options?: ListOptions): List<AdminTransferListResponse, AdminTransferSummary>
    /** Begin an import. Announces a file of at most 64 pieces. When the last one has come, the server compares the file with the shop. Nothing changes before the plan is confirmed. Needs the scope `admin:catalog`. (createAdminTransfer) */
    create(input: AdminTransferRequest, options?: CallOptions): Promise<AdminTransferResponse>
    /** Show an import. How far it is, what it would change, and which rows cannot be taken and why. Needs the scope `admin:read`. (getAdminTransfer) */
    get(transferId: string, options?: CallOptions): Promise<AdminTransferResponse>
    /** Send a piece of a file. The first piece is 1. Pieces may come in any order; one that comes again replaces what was sent. Needs the scope `admin:catalog`. (appendAdminTransfer) */
    append(transferId: string, piece: string, input: AdminPieceRequest, options?: CallOptions): Promise<AdminTransferResponse>
    /** Assign columns. Says what the columns of a file hold that no known system wrote, and compares the file with the shop. It may be said anew until the import is confirmed. The next file with the same first row is read alike. Needs the scope `admin:catalog`. (assignAdminTransferColumns) */
    assignColumns(transferId: string, input: AdminColumnsRequest, options?: CallOptions): Promise<AdminTransferResponse>
    /** Write an import. Writes the plan in batches. Each is written whole or not at all, with its entry in the list of changes. What was changed since the plan was made is refused. Needs the scope `admin:catalog`. (confirmAdminTransfer) */
    confirm(transferId: string, input?: AdminTransferConfirmation, options?: CallOptions): Promise<AdminTransferResponse>
    /** Discard an import. Deletes the file and its plan. Not while it is written. Needs the scope `admin:catalog`. (discardAdminTransfer) */
    discard(transferId: string, input?: AdminTransferConfirmation, options?: CallOptions): Promise<AdminDiscardedResponse>
  }
}

export interface Address {
  name: string
  company?: string | undefined
  line1: string
  line2?: string | undefined
  city: string
  /** State or province; needed in some countries. */
  region?: string | undefined
  /** Needed in most countries and checked by country. */
  postalCode?: string | undefined
  /** ISO 3166-1 alpha-2 code. */
  country: string
  phone?: string | undefined
}

/** Who did it. */
export interface AdminActor {
  /** person: someone who signed in. key: an API key. app: an installed app. operator: at the command line. loop: the server by itself. */
  kind: 'person' | 'key' | 'app' | 'operator' | 'loop'
  /** Of the user, the key or the installation. */
  id: string | null
  /** null where it is not known any more. */
  name: string | null
}

export interface AdminAgentKeyRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface AdminAgentKeyResponse {
  data: {
    platform: AdminAgentPlatform
    /** The API key. Shown this once. */
    secret: string
  }
}

export interface AdminAgentPlatform {
  /** Id of a platform whose agents buy from the shop. */
  id: string
  version: number
  /** The address of its UCP profile. Of one that buys by ACP: an address that names it. */
  profileUrl: string
  host: string
  /** seen: it called, or was entered. approved: it may pay where only approved ones may. blocked: it gets no answer. */
  status: 'seen' | 'approved' | 'blocked'
  /** Whether a key was made for it. */
  hasKey: boolean
  /** How calling it about its orders goes. null: it has not asked for that, or has not opened a checkout yet. */
  webhook: {
    status: 'enabled' | 'disabled' | 'paused'
    lastSuccessAt: string | null
    lastFailureAt: string | null
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  firstSeenAt: string
  /** RFC 3339, UTC, with milliseconds. */
  lastSeenAt: string
}

export interface AdminAgentPlatformListResponse {
  /** Newest first. */
  data: AdminAgentPlatform[]
  meta: ListMeta
}

export interface AdminAgentPlatformResponse {
  data: AdminAgentPlatform
  /** What changed. */
  changes: AdminSubjectChange[]
}

export interface AdminAgentWebhookRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Where the platform wants to hear of its orders. */
  url: string
}

export interface AdminAgentWebhookResponse {
  data: {
    platform: AdminAgentPlatform
    /** The secret that signs the calls, as Merchant-Signature. Shown this once. */
    secret: string
  }
}

export interface AdminAgents {
  /** 0 where nothing was ever set. */
  version: number
  /** off: agents get no answer. browse: they find products and open checkouts, which buyers pay on the page. buy: they may also pay. */
  level: 'off' | 'browse' | 'buy'
  /** Who may pay and read its orders. approved: platforms that were approved, and prove who they are. signed: every platform that proves it. anyone: every platform with a profile, in test mode only. */
  who: 'approved' | 'signed' | 'anyone'
  /** From this total on the buyer confirms on the checkout page. null: never. */
  reviewFrom: number | null
  /** Whether platforms are called when their orders change. */
  orderWebhooks: boolean
  /** Keys that sign what is sent to platforms, the present one first. */
  signingKeys: ({
    kid: string
    /** RFC 3339, UTC, with milliseconds. */
    createdAt: string
    retiredAt: string | null
  })[]
  /** Where agents find the shop, in the mode of the caller: the UCP profile, UCP by REST, ACP, and MCP. `assistants` is MCP for those who run the shop. */
  addresses: {
    profile: string
    rest: string
    acp: string
    mcp: string
    assistants: string
  }
}

export interface AdminAgentsChangeResponse {
  data: AdminAgents
  /** What changed. */
  changes: AdminSubjectChange[]
}

export interface AdminAgentsResponse {
  data: AdminAgents
}

export interface AdminAssignedColumn {
  /** As the first row of the file names it. */
  column: string
  as: AdminColumnMeaning
}

export interface AdminBestSeller {
  /** The slug of the product. */
  key: string
  name: string
  /** How many pieces were sold. */
  items: number
  /** In minor units of the currency that the resource names. */
  total: number
}

export interface AdminBrand {
  name: string
  /** Products of it that are not archived. */
  products: number
}

export interface AdminBrandListResponse {
  /** By name. Two spellings of a brand are two rows. */
  data: AdminBrand[]
  meta: ListMeta
}

export interface AdminBulkFulfillmentRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** One parcel each, of all that was not sent yet. */
  rows: ({
    /** Id of an order. */
    orderId: string
    /** The version that was seen. Another one now is a 409 version_conflict. */
    expectedVersion?: number | undefined
    /** Any name. Parcels of DHL, UPS, DPD, GLS, FedEx, Royal Mail, La Poste, PostNL, USPS have a link by their number. A new parcel without it gets the carrier whose numbers look so, if there is only one. */
    carrier?: string | null | undefined
    trackingNumber?: string | null | undefined
    /** Where the parcel can be followed. Not needed for a carrier that has a link by its number. */
    trackingUrl?: string | null | undefined
  })[]
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface AdminBuyerVat {
  /** Of the VAT number. */
  country: string
  status: 'pending' | 'valid' | 'invalid' | 'unavailable'
  /** RFC 3339, UTC, with milliseconds. */
  checkedAt: string
  /** By which VIES proves its answer. */
  consultationNumber: string | null
  /** Whether the register has the firm by the name that was given. */
  nameMatch: 'match' | 'differs' | 'unknown'
}

export interface AdminCategory {
  /** Id of a category. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** What the merchant wrote. It can be changed and sent back. */
  category: CategoryEntry
  parentId: string | null
  /** Slugs from the top category down to this one. */
  path: string[]
  /** Published products in it or below it. */
  productCount: number
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface AdminCategoryListResponse {
  /** By position, then by name. */
  data: AdminCategory[]
  meta: ListMeta
}

export interface AdminCategoryResponse {
  data: AdminCategory
}

export interface AdminChange {
  /** Id of an entry in the list of changes. */
  id: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** null where the thing is shared by both modes. */
  mode: Mode | null
  actor: AdminActor
  /** operationId, or the command of an operator. */
  operation: string
  requestId: string | null
  /** At most 50; with `subjectId` those of that thing come first. The rest of an entry: `changeId` of the list. */
  changes: AdminSubjectChange[]
  /** How many things changed. */
  changesCount: number
  /** The entry that this one took back. */
  undoes: string | null
  undoneBy: string | null
}

export interface AdminChangeListResponse {
  /** Newest first. A page of large entries has fewer of them. */
  data: AdminChange[]
  meta: ListMeta
}

/** What a column holds. Rows with the same product, or without such a column with the same title, are variants of one product. An option is named as its column; up to three columns may be options, and 50 pictures. */
export type AdminColumnMeaning = 'title' | 'price' | 'sku' | 'product' | 'option' | 'compareAtPrice' | 'quantity' | 'description' | 'brand' | 'category' | 'tags' | 'barcode' | 'weightGrams' | 'weightKilograms' | 'picture'

export interface AdminColumnsRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** With one column for `title` and one for `price`. Columns that are not named are not read. */
  columns: AdminAssignedColumn[]
}

export interface AdminCustomer {
  name: string | null
  email: string | null
  phone: string | null
  vatId: string | null
  /** null where nothing is sent, and once it is erased. */
  address: Address | null
  /** The address as lines to print, in the order of its country. */
  label: string[]
  /** Members of an address of its country, in the order in which it is written there. Empty without an address. */
  addressFields: ({
    name: 'name' | 'company' | 'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country' | 'phone'
    required: boolean
  })[]
}

export interface AdminCustomerResponse {
  data: AdminCustomer
}

export interface AdminDiscardedResponse {
  data: {
    /** Id of an import. */
    id: string
    removed: boolean
  }
}

/** A shopper asked their bank for the money back. It is answered at the provider, and does not change the order. */
export interface AdminDispute {
  /** Id of a dispute. */
  id: string
  /** Id of a payment. */
  paymentId: string
  /** The name that the provider gave it. */
  reference: string
  /** Its page in the dashboard of the provider, for people of the shop; null where there is none. */
  providerUrl: string | null
  /** What the bank asks back, in minor units. Once the dispute is lost it is gone. */
  amount: number
  /** ISO 4217 code. */
  currency: string
  status: 'open' | 'won' | 'lost'
  /** In the word of the provider, such as fraudulent. */
  reason: string | null
  /** Until when the merchant may answer with evidence. */
  dueAt: string | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** When it was known to be won or lost. */
  decidedAt: string | null
}

export interface AdminDocument {
  /** Id of an invoice or a credit note. */
  id: string
  kind: 'invoice' | 'credit_note'
  /** Why it was made. An invoice by `refund_failed` reverses the credit note of a refund that failed later. */
  cause: 'order_paid' | 'refund_paid' | 'refund_failed'
  number: string
  mode: Mode
  /** Id of an order. */
  orderId: string
  /** Its date, in the time zone of the shop. */
  day: string
  /** The date of supply. */
  supplyDay: string
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  net: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
  /** Where it is taxed. */
  country: string
  seller: {
    /** Of the company or the person. */
    name: string
    /** Lines of the postal address. */
    address?: string[] | undefined
    /** Number for value added tax. */
    vatId?: string | undefined
    /** Such as court and number of the register. */
    registration?: string | undefined
    /** Number at the tax office, where there is no `vatId`. */
    taxNumber?: string | undefined
    /** Street and number. E-invoices have the address in parts. */
    street?: string | undefined
    /** Of the address. */
    postalCode?: string | undefined
    /** Of the address. */
    city?: string | undefined
    /** For questions about invoices. */
    phone?: string | undefined
    /** ISO 3166-1 alpha-2 code. */
    country: string
    /** For questions. */
    email: string | null
  }
  /** null where none is known. */
  buyer: AdminDocumentBuyer | null
  lines: AdminDocumentLine[]
  /** Sums by rate, the highest rate first. */
  rates: AdminDocumentRate[]
  pricesIncludeTax: boolean
  order: {
    number: string
    /** A day, such as `2026-06-01`. */
    day: string
  }
  /** The invoice that a credit note corrects, or the credit note that an invoice reverses. */
  corrects: {
    /** Id of an invoice or a credit note. */
    id: string
    number: string
    /** A day, such as `2026-06-01`. */
    day: string
  } | null
  /** Further invoices of the same order that a credit note corrects: an edit that adds to an order has its own. */
  alsoCorrects: ({
    /** Id of an invoice or a credit note. */
    id: string
    number: string
    /** A day, such as `2026-06-01`. */
    day: string
  })[]
  payments: ({
    method: string
    brand: string | null
    last4: string | null
    /** A day, such as `2026-06-01`. */
    day: string
    /** In minor units of the currency that the resource names. */
    amount: number
  })[]
  /** In which the order was placed. */
  locale: string
}

export interface AdminDocumentBuyer {
  name: string
  company: string | null
  vatId: string | null
  /** The address as lines to print. */
  address: string[]
  country: string | null
  street: string | null
  postalCode: string | null
  city: string | null
}

export interface AdminDocumentExportResponse {
  /** In the order in which they were made. */
  data: AdminDocument[]
  meta: ListMeta
}

export interface AdminDocumentLine {
  /** Of the SKU; empty for the shipping. */
  code: string
  name: string
  /** Values of the options, such as a size. */
  options: string[]
  isShipping: boolean
  /** null where a part of the price was refunded. */
  quantity: number | null
  /** As the order has it, with or without tax. null on credit notes. */
  unitPrice: number | null
  /** Off the line, as the order has it. */
  discount: number
  /** In basis points: 1900 is 19 %. */
  rate: number
  /** Why no tax is charged; null where it is. */
  reason: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | 'zero_rate' | null
  /** In minor units of the currency that the resource names. */
  net: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
}

export interface AdminDocumentListResponse {
  /** Newest first. */
  data: AdminDocumentSummary[]
  meta: ListMeta
}

export interface AdminDocumentRate {
  /** In basis points: 1900 is 19 %. */
  rate: number
  /** Why no tax is charged; null where it is. */
  reason: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | 'zero_rate' | null
  /** In minor units of the currency that the resource names. */
  net: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
}

export interface AdminDocumentResponse {
  data: AdminDocument
}

export interface AdminDocumentSummary {
  /** Id of an invoice or a credit note. */
  id: string
  kind: 'invoice' | 'credit_note'
  /** Why it was made. An invoice by `refund_failed` reverses the credit note of a refund that failed later. */
  cause: 'order_paid' | 'refund_paid' | 'refund_failed'
  number: string
  mode: Mode
  /** Id of an order. */
  orderId: string
  /** Its date, in the time zone of the shop. */
  day: string
  /** The date of supply. */
  supplyDay: string
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  net: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
  /** Where it is taxed. */
  country: string
}

export interface AdminDutiesResponse {
  data: {
    duties: AdminDuty[]
    /** Published ones. */
    productsWithoutMaker: number
    /** Outside of the EU, without a person in it. */
    makersWithoutResponsible: number
  }
}

export interface AdminDuty {
  id: 'seller' | 'confirmation' | 'privacy' | 'imprint' | 'withdrawal' | 'order_button' | 'prior_price' | 'accessibility' | 'unit_price' | 'product_safety' | 'guarantee' | 'delivery' | 'digital'
  /** by_hand: a person has to look whether it is done, or needed. not_needed: the shop sells to no country that demands it. */
  status: 'done' | 'missing' | 'by_hand' | 'not_needed'
  /** That demand it, of those the shop sells to. */
  countries: string[]
  /** The day from which it applies. */
  since: string
  /** The law, or the judgment. */
  source: string
  /** What the shop has not given. */
  lacks: ('seller' | 'measures' | 'makers' | 'responsible' | 'terms' | 'withdrawal' | 'privacy' | 'imprint' | 'accessibility' | 'shipping' | 'guarantee')[]
}

export interface AdminEndRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

/** Stable, for programs. */
export type AdminErrorCode = 'invalid_request' | 'malformed_json' | 'body_required' | 'body_not_allowed' | 'body_too_large' | 'unsupported_media_type' | 'idempotency_key_required' | 'idempotency_key_invalid' | 'idempotency_key_ambiguous' | 'unauthenticated' | 'scope_missing' | 'route_not_found' | 'product_not_found' | 'page_not_found' | 'order_not_found' | 'webhook_endpoint_not_found' | 'webhook_delivery_not_found' | 'credential_not_found' | 'idempotency_key_reused' | 'version_conflict' | 'insufficient_stock' | 'item_unavailable' | 'quantity_limit_exceeded' | 'address_undeliverable' | 'payment_in_progress' | 'order_not_cancellable' | 'endpoint_disabled' | 'rate_limited' | 'internal_error' | 'unavailable' | 'person_required' | 'installation_not_found' | 'agent_platform_not_found' | 'member_not_found' | 'promotion_not_found' | 'payment_not_found' | 'payment_provider_not_found' | 'payment_account_not_found' | 'category_not_found' | 'picture_not_found' | 'withdrawal_not_found' | 'customer_not_found' | 'draft_not_found' | 'document_not_found' | 'fulfillment_not_found' | 'change_not_found' | 'sku_not_found' | 'transfer_not_found' | 'product_exists' | 'sku_exists' | 'category_exists' | 'member_exists' | 'last_owner' | 'invitation_limit' | 'mail_off' | 'person_of_others' | 'promotion_exists' | 'installation_exists' | 'installation_limit' | 'credential_limit' | 'currency_not_changeable' | 'slug_not_changeable' | 'code_not_changeable' | 'product_archived' | 'order_not_editable' | 'order_edit_not_possible' | 'draft_not_open' | 'draft_without_email' | 'draft_email_limit' | 'total_changed' | 'category_in_use' | 'category_limit' | 'category_too_deep' | 'usage_limit_too_low' | 'credential_already_rotated' | 'picture_limit' | 'agents_closed' | 'webhook_endpoint_limit' | 'payment_account_exists' | 'payment_account_refused' | 'payment_provider_silent' | 'payment_account_ended' | 'payment_not_closable' | 'money_not_recordable' | 'payment_not_awaited' | 'order_not_fulfillable' | 'order_not_paid' | 'order_not_sent' | 'fulfillment_not_possible' | 'return_not_found' | 'return_not_possible' | 'return_already_open' | 'exchange_not_possible' | 'return_not_changeable' | 'text_limit' | 'note_limit' | 'refund_not_possible' | 'change_too_large' | 'change_not_undoable' | 'change_already_undone' | 'change_overtaken' | 'host_not_found' | 'maker_not_found' | 'maker_exists' | 'maker_in_use' | 'maker_limit' | 'redirect_not_found' | 'redirect_exists' | 'redirect_limit' | 'page_exists' | 'page_limit' | 'host_limit' | 'host_not_proved' | 'transfer_limit' | 'transfer_not_receiving' | 'transfer_not_ready' | 'nothing_to_refund' | 'refund_pending' | 'refund_amount_too_high' | 'refund_amount_not_payable' | 'refund_amount_too_low'

export interface AdminErrorIssue {
  /** JSON Pointer into the body; /query/… and /headers/… outside of it. */
  path: string
  /** The rule that is broken. Stable, for programs. */
  code: 'does_not_match' | 'required' | 'required_unless' | 'unknown_member' | 'unknown_parameter' | 'needs_members' | 'excluded_by' | 'too_many_members' | 'bad_member_name' | 'no_rule_met' | 'not_exactly' | 'not_one_of' | 'not_an_integer' | 'integer_out_of_range' | 'integer_too_low' | 'integer_too_high' | 'not_a_string' | 'string_length' | 'string_too_short' | 'string_too_long' | 'not_an_array' | 'array_length' | 'array_too_short' | 'array_too_long' | 'not_a_boolean' | 'not_an_object' | 'not_null' | 'repeated_item' | 'not_a_slug' | 'not_an_option' | 'not_an_instant' | 'not_a_currency' | 'not_a_country_code' | 'not_a_line' | 'not_plain_text' | 'not_visible_ascii' | 'not_a_web_address' | 'not_an_email' | 'not_a_contact' | 'not_a_phone' | 'not_a_locale' | 'not_a_subscription' | 'not_an_api_key' | 'not_an_id' | 'pattern_mismatch' | 'malformed' | 'ends_early' | 'forbidden_name' | 'repeated_name' | 'number_too_large' | 'number_too_precise' | 'nested_too_deep' | 'bad_text' | 'not_utf8' | 'contains_zero' | 'too_long' | 'ascii_length' | 'header_missing' | 'header_repeated' | 'bad_host_header' | 'bad_expectation' | 'bad_content_encoding' | 'bad_content_type' | 'too_many_headers' | 'bad_path' | 'bad_cursor' | 'empty_search' | 'unknown_sku' | 'duplicate' | 'not_in_future' | 'test_mode_only' | 'needed' | 'needed_in_country' | 'not_a_country' | 'not_a_region' | 'not_a_vat_id' | 'not_a_postal_code' | 'phone_digits' | 'no_letter' | 'no_letter_or_digit' | 'contains_angle_bracket' | 'contains_link' | 'url_characters' | 'url_unreadable' | 'url_not_secure' | 'url_has_credentials' | 'url_host_unclear' | 'url_host_not_allowed' | 'blank' | 'control_characters' | 'too_many_items' | 'one_of_two' | 'goes_with' | 'not_offered' | 'form_altered' | 'html_too_long' | 'not_uploaded_here' | 'not_an_image_address' | 'option_missing' | 'unknown_option' | 'unknown_option_value' | 'not_above_price' | 'other_kind_of_measure' | 'unreadable_instant' | 'published_in_future' | 'maker_not_in_file' | 'category_not_in_file' | 'sku_not_in_file' | 'category_circle' | 'unknown_column' | 'meaning_missing' | 'meaning_repeated' | 'unknown_image_format' | 'broken_image' | 'image_too_large' | 'image_too_heavy' | 'image_has_metadata' | 'promotion_code' | 'needed_for_type' | 'unfit_for_type' | 'not_an_instant_in_utc' | 'not_after_start' | 'unknown_currency' | 'unknown_country' | 'unknown_time_zone' | 'not_one_email' | 'not_rising' | 'instructions_needed' | 'key_of_other_mode' | 'not_a_publishable_key' | 'not_a_secret_key' | 'not_a_mollie_key' | 'live_key_with_stand_in' | 'key_not_accepted' | 'keys_of_two_accounts' | 'key_of_other_account' | 'permissions_missing' | 'account_not_charging' | 'account_blocked' | 'no_method_at_provider' | 'endpoint_missing' | 'endpoint_moved' | 'endpoint_off' | 'endpoint_not_deleted' | 'domain_unknown' | 'domain_off' | 'wallet_inactive' | 'provider_refused' | 'provider_unreachable' | 'secrets_unopened' | 'not_a_day' | 'after_last_day' | 'too_many_days' | 'text_too_large' | 'link_not_secure' | 'placeholder_missing' | 'not_a_host' | 'not_one_host' | 'host_not_public' | 'own_host' | 'page_reserved' | 'link_not_allowed' | 'not_a_shop_path' | 'leads_to_itself' | 'not_an_origin' | 'no_origin' | 'origins_of_secret_key' | 'scopes_of_publishable_key' | 'target_too_long' | 'target_characters' | 'target_unreadable' | 'target_not_secure' | 'target_host_unclear' | 'target_has_credentials' | 'target_has_fragment' | 'target_private_address' | 'target_host_invalid' | 'target_private_host' | 'target_port' | 'no_event' | 'too_many_events' | 'unknown_event' | 'line_length' | 'line_too_long' | 'address_count' | 'not_some_of' | 'not_either' | 'redirect_not_secure' | 'redirect_has_fragment' | 'redirect_has_credentials' | 'redirect_has_wildcard' | 'redirect_not_loopback' | 'redirect_spelling' | 'app_of_other_file' | 'app_of_other_merchant' | 'not_a_key_set' | 'key_count' | 'repeated_key_id' | 'not_a_key' | 'private_key' | 'unknown_key_type' | 'bad_key_id' | 'not_base64url' | 'invalid_key' | 'weak_key' | 'file_too_large' | 'file_not_utf8' | 'file_too_deep' | 'file_unreadable'
  /** The values of the rule, such as max. */
  values: Record<string, string | number | string[]>
  /** The rule in words, for people; may change. */
  message: string
}

export interface AdminErrorResponse {
  error: {
    code: AdminErrorCode
    /** For people; may change. */
    message: string
    /** The status of the answer. */
    status: number
    /** Id of a request, as in the header X-Request-Id. Name it when you ask for help. */
    requestId: string
    /** Each place where the request is wrong. */
    issues: AdminErrorIssue[]
    /** What helps to go on: the present version and status, requiredScope, or the thing as it is now after version_conflict. */
    current: Record<string, unknown> | null
  }
}

export interface AdminExportResponse {
  data: {
    /** A part of the file in UTF-8: lines of CSV, the first with the names of the columns, XML of a Google feed, or lines of JSON. */
    text: string
  }
  meta: ListMeta
}

export interface AdminFileColumn {
  /** As the first row of the file names it. */
  name: string
  /** What the first rows hold. Long texts are cut. */
  samples: string[]
  /** What it holds, as it was assigned; in the state `columns`, as its name suggests. Null: it is not read. */
  as: AdminColumnMeaning | null
}

export interface AdminFulfillment {
  /** Id of a fulfillment: one parcel. */
  id: string
  carrier: string | null
  trackingNumber: string | null
  /** Where the parcel can be followed: the link of the merchant, or that of a known carrier. null: none is known. */
  trackingUrl: string | null
  items: ItemQuantity[]
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface AdminFulfillmentRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** What is in the parcel. Without it, all that was not sent yet. */
  items?: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    quantity: number
  })[] | undefined
  /** Any name. Parcels of DHL, UPS, DPD, GLS, FedEx, Royal Mail, La Poste, PostNL, USPS have a link by their number. A new parcel without it gets the carrier whose numbers look so, if there is only one. */
  carrier?: string | null | undefined
  trackingNumber?: string | null | undefined
  /** Where the parcel can be followed. Not needed for a carrier that has a link by its number. */
  trackingUrl?: string | null | undefined
}

export interface AdminFulfillmentResponse {
  data: {
    order: AdminOrder
    fulfillment: AdminFulfillment
  }
}

export interface AdminFulfillmentUpdateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Any name. Parcels of DHL, UPS, DPD, GLS, FedEx, Royal Mail, La Poste, PostNL, USPS have a link by their number. A new parcel without it gets the carrier whose numbers look so, if there is only one. */
  carrier?: string | null | undefined
  trackingNumber?: string | null | undefined
  /** Where the parcel can be followed. Not needed for a carrier that has a link by its number. */
  trackingUrl?: string | null | undefined
}

export interface AdminFulfillmentUpdateResponse {
  data: AdminFulfillment
}

export interface AdminHomeResponse {
  data: {
    todo: AdminTodo
    sales: AdminSalesReport
    /** Products in the days of `sales`, by their total, the largest first. */
    bestSellers: AdminBestSeller[]
    /** Orders that agents made in the last 30 days. 1000 means 1000 or more. */
    agentOrders: number
  }
}

export interface AdminHost {
  host: string
  /** The others lead to it. */
  isMain: boolean
  /** It counts from then on. */
  isProved: boolean
  /** Why it is not proved, as of the last look. */
  problem: 'not_found' | 'not_answering' | 'unreachable' | 'taken' | null
  checkedAt: string | null
  /** Whether its proof is still looked for. After a week it has to be asked for again. */
  isChecked: boolean
  /** A TXT record that proves it. Without one, it is proved once this server answers under its name by http. */
  record: {
    name: string
    value: string
  }
}

export interface AdminHostActionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface AdminHostAddRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** A name of yours: shop.example.com. */
  host: string
}

export interface AdminInstallation {
  /** Id of an installation. */
  id: string
  name: string
  mode: Mode
  status: 'active' | 'suspended' | 'ended'
  /** Hosts to which a checkout may send the shopper back. */
  redirectHosts: string[]
  /** The app that was installed. null: made by the merchant or the operator. */
  app: {
    /** Id of an app, which is its OAuth client id. */
    id: string
    name: string
    /** The address of the metadata document of an assistant. null: a registered app. */
    clientUrl: string | null
  } | null
  /** What the app was granted. */
  grantedScopes: Scope[] | null
  /** Id of the person who approved the app. */
  approvedBy: string | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** When its app last got a token. An assistant at work gets one every ten minutes. */
  lastTokenAt: string | null
  endedAt: string | null
}

export interface AdminInstallationCreateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Unique within the merchant. */
  name: string
  /** Hosts to which a checkout may send the shopper back: example.com, localhost:3000. */
  redirectHosts?: string[] | undefined
}

export interface AdminInstallationListResponse {
  /** Newest first. */
  data: AdminInstallation[]
  meta: ListMeta
}

export interface AdminInstallationResponse {
  data: AdminInstallation
}

export interface AdminInvitationResponse {
  data: {
    member: AdminMember
    /** The person opens it to join. Shown this once, to a person; null for a key or an app. Also sent by mail where mail is set up. Works once, for seven days. */
    link: string | null
  }
}

export interface AdminKey {
  /** Id of an API key. Not the key itself. */
  id: string
  name: string
  /** The public beginning of the key, up to and including its lookup part. */
  prefix: string
  /** The last four characters of the key. */
  last4: string
  scopes: Scope[]
  status: 'active' | 'expiring' | 'expired' | 'revoked'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  expiresAt: string | null
  /** To the minute. */
  lastUsedAt: string | null
  /** publishable: for the pages of a storefront. Anyone who opens such a page can read it. */
  kind: 'secret' | 'publishable'
  /** The pages on which a publishable key works. Empty for a secret one. */
  origins: string[]
  installation: {
    /** Id of an installation. */
    id: string
    name: string
  }
}

export interface AdminKeyCreateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Id of an installation. */
  installationId: string
  /** What the key is for. */
  name: string
  /** Admin scopes are given by a signed-in owner or at the command line, never by a key. Empty for a publishable key, whose rights are fixed. */
  scopes: Scope[]
  /** Left out: secret. */
  kind?: 'secret' | 'publishable' | undefined
  /** Of a publishable key: the origins of the pages on which it works. At least one. */
  origins?: string[] | undefined
  /** In the future. Left out: the key does not expire. */
  expiresAt?: string | undefined
}

export interface AdminKeyCreateResponse {
  data: {
    key: AdminKey
    /** The API key. Shown this once. */
    secret: string
  }
}

export interface AdminKeyListResponse {
  /** Newest first. */
  data: AdminKey[]
  meta: ListMeta
}

export interface AdminKeyResponse {
  data: AdminKey
}

export interface AdminKeyRotateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** How long the old key goes on working. Left out: 24. */
  overlapHours?: number | undefined
}

export interface AdminKeyRotateResponse {
  data: {
    key: AdminKey
    /** The API key. Shown this once. */
    secret: string
    oldKey: {
      /** Id of an API key. Not the key itself. */
      id: string
      /** RFC 3339, UTC, with milliseconds. */
      expiresAt: string
    }
  }
}

export interface AdminLedgerResponse {
  data: {
    /** A part of the file; the first has the names of the columns. */
    text: string
  }
  meta: ListMeta
}

export interface AdminMaker {
  /** Id of a maker. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** What the merchant wrote. It can be changed and sent back. */
  maker: MakerEntry
  /** Products that name it, archived ones too. */
  productCount: number
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface AdminMakerListResponse {
  /** By slug. */
  data: AdminMaker[]
  meta: ListMeta
}

export interface AdminMakerResponse {
  data: AdminMaker
}

export interface AdminMember {
  /** Id of a person, or of an invitation that was not accepted yet. */
  id: string
  /** invited: has not accepted yet. disabled: cannot sign in. */
  status: 'active' | 'disabled' | 'invited'
  email: string
  /** As the person gave it. */
  name: string | null
  role: AdminRole
  /** What the person may do. */
  scopes: ('admin:read' | 'admin:catalog' | 'admin:orders' | 'admin:refunds' | 'admin:customers' | 'admin:settings' | 'admin:developers' | 'admin:people')[]
  hasSecondFactor: boolean
  /** RFC 3339, UTC, with milliseconds. */
  addedAt: string
  /** Of an invitation: until when its link works. */
  expiresAt: string | null
}

export interface AdminMemberChange {
  member: string
  /** The value before. null where there was none. */
  from: unknown
  /** The value after. */
  to: unknown
}

export interface AdminMemberInviteRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  email: string
  role: AdminRole
  /** Of the role custom, and required for it. Everyone has admin:read. */
  scopes?: ('admin:read' | 'admin:catalog' | 'admin:orders' | 'admin:refunds' | 'admin:customers' | 'admin:settings' | 'admin:developers' | 'admin:people')[] | undefined
}

export interface AdminMemberListResponse {
  /** Those who joined first come first, invitations last. */
  data: AdminMember[]
  meta: ListMeta
}

export interface AdminMemberRemoveRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface AdminMemberRemovedResponse {
  data: {
    /** Id of a person, or of an invitation that was not accepted yet. */
    id: string
    removed: true
  }
}

export interface AdminMemberResponse {
  data: AdminMember
}

export interface AdminMemberUpdateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  role: AdminRole
  /** Of the role custom, and required for it. Everyone has admin:read. */
  scopes?: ('admin:read' | 'admin:catalog' | 'admin:orders' | 'admin:refunds' | 'admin:customers' | 'admin:settings' | 'admin:developers' | 'admin:people')[] | undefined
}

/** Money of a bank transfer or in cash, as people recorded it. */
export interface AdminMoneyReceived {
  /** Oldest first. */
  entries: ({
    id: string
    /** In minor units. Below zero: it was given back. */
    amount: number
    /** RFC 3339, UTC, with milliseconds. */
    at: string
  })[]
  /** What came, without what was given back. */
  sum: number
  /** What is still to come. */
  due: number
  /** What came beyond the total, or for an order that is cancelled. It is given back by hand, and recorded by recordAdminMoney. */
  excess: number
}

export interface AdminMoneyRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** What came, in minor units. Below zero: what was given back. Not zero. */
  amount: number
  /** true: the order counts as paid, although less than its total has come. */
  settles?: boolean | undefined
}

export interface AdminOrder {
  /** Id of an order. */
  id: string
  /** The number people use, such as 1001. That of a test order begins with T-. */
  number: string
  mode: Mode
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** Sum of the quantities. */
  itemCount: number
  /** Id of a hosted checkout session. */
  checkoutSessionId: string
  /** Id of a cart. */
  cartId: string
  clientReferenceId: string | null
  customer: Customer
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  items: AdminOrderItem[]
  totals: OrderTotals
  promotion: OrderPromotion | null
  shippingAddress: OrderShippingAddress | null
  /** null where nothing is sent. */
  shipping: OrderShipping | null
  payments: AdminPayment[]
  /** While the money is awaited: the order is cancelled if it has not come by then. null without a payment term. */
  paymentDueAt: string | null
  /** Oldest first. */
  refunds: AdminOrderRefund[]
  fulfillments: AdminFulfillment[]
  cancellation: OrderCancellation | null
  /** Oldest first. */
  timeline: TimelineEntry[]
  /** What the shopper agreed to at the checkout. */
  consents?: OrderConsent[] | undefined
  /** Whether a cancellation would be accepted now. */
  cancellable: boolean
  /** Your own names and values. Kept and given back as they are. */
  metadata: Record<string, string>
  city: string | null
  country: string | null
  installation: OrderInstallation
  /** null a moment after it was placed, without an e-mail address, and once the person is erased. */
  customerId: string | null
  /** The return whose items it was exchanged for, and the order of that; null for other orders. */
  exchangeOf: {
    /** Id of a return. */
    returnId: string
    /** Id of an order. */
    orderId: string
    orderNumber: string
  } | null
  /** The agent that made the order. null: none did. */
  agent: {
    /** plt_none: a caller without a profile, such as a chat program. */
    platformId: string
    /** Of its profile. null: it has none, or is forgotten. */
    host: string | null
    /** ucp, acp or mcp. */
    protocol: string
    version: string
    /** How the platform proved who it is. null: not at all. */
    proof: 'signature' | 'key' | null
  } | null
  /** Of the VAT number of the buyer. null: none was given. */
  vat: AdminBuyerVat | null
  /** Oldest first. */
  disputes: AdminDispute[]
  /** null where no payment is recorded by hand. */
  moneyReceived: AdminMoneyReceived | null
  /** An edit or an exchange that waits for its payment by the link of a draft. */
  openChange: OpenChange | null
  /** Oldest first. */
  notes: AdminOrderNote[]
  /** The operations that the order would accept now, as far as its state says. */
  allowed: ('payAdminOrder' | 'recordAdminMoney' | 'fulfilAdminOrder' | 'returnAdminOrder' | 'cancelAdminOrder' | 'refundAdminOrder' | 'editAdminOrder')[]
  /** Who did what, newest first. */
  changes: AdminChange[]
}

export interface AdminOrderCancellationRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  reason?: 'customer_request' | 'out_of_stock' | 'fraud_suspected' | 'duplicate' | 'other' | undefined
  /** The customer may read it. */
  note?: string | undefined
  /** Whether the items go back into stock. Without it they do. */
  restock?: boolean | undefined
}

export interface AdminOrderCancellationResponse {
  data: {
    cancellation: OrderCancellation
    order: AdminOrder
  }
}

/** How many orders wait for someone. 1000 means 1000 or more. */
export interface AdminOrderCounts {
  toSend: number
  awaitingPayment: number
  /** Withdrawals that wait. null where there is none, and the shop sells to no country with this right. */
  withdrawals: number | null
}

export interface AdminOrderCountsResponse {
  data: AdminOrderCounts
}

export interface AdminOrderEditItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  name: string
  options: OptionValue[]
  /** Units before the edit. 0: the item is new. */
  before: number
  /** Units after it. 0: the item is removed. */
  quantity: number
  /** In minor units of the currency that the resource names. */
  unitPrice: number
  /** After the edit, with discount and tax. */
  total: number
}

/** At least one of items, shipping and address. What leaves the order as it is is answered, and no edit is made. An order has at most 100 edits. */
export interface AdminOrderEditRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** Items that change. Others stay as they are. */
  items?: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    /** Of the whole order after the edit. Units that were sent count too. 0 removes the item. */
    quantity: number
    /** Of a new item. Without it, the price of the catalog. More units of an item cost what its units cost. */
    unitPrice?: number | undefined
  })[] | undefined
  /** Delivery costs after the edit. Without it, they stay as they are. */
  shipping?: number | undefined
  /** Within the country and region of the order. Taxes and delivery depend on these. */
  address?: Address | undefined
  /** What the caller was shown. Another total is refused with 409 total_changed. */
  expectedTotal?: number | undefined
  /** What a paid order would cost more has come by bank transfer or cash. It is a payment of its own. */
  differenceReceived?: boolean | undefined
  /** The shopper pays by the link of a draft what added items cost. For a paid order. Until then it stays as it is, and stock is held. Not with differenceReceived or an address. */
  payByLink?: boolean | undefined
  /** How long the link can be paid (default: 7). */
  linkDays?: number | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface AdminOrderEditResponse {
  data: {
    /** All items, in the order of the order. */
    items: AdminOrderEditItem[]
    totals: Totals
    /** The total after the edit without the one before. Below zero: it goes back to the shopper. Above zero: the shopper pays it. */
    difference: number
    /** null with dryRun, and where nothing goes back. */
    refund: OrderRefund | null
    /** The draft whose link pays the difference. null with dryRun, and where the order was edited at once. */
    draftId: string | null
    order: AdminOrder
  }
}

export interface AdminOrderItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  /** A name for addresses, unique within its merchant. */
  productSlug: string
  name: string
  options: OptionValue[]
  quantity: number
  /** Units sent so far. */
  fulfilled: number
  /** In minor units of the currency that the resource names. */
  unitPrice: number
  measure?: {
    amount: number
    unit: 'mg' | 'g' | 'kg' | 'ml' | 'cl' | 'l' | 'm3' | 'mm' | 'cm' | 'm' | 'cm2' | 'm2' | 'piece'
    /** What `price` is for. */
    per: 'kg' | '100g' | 'l' | '100ml' | 'm3' | 'm' | 'm2' | 'piece'
    /** In minor units of the currency that the resource names. */
    price: number
  } | null | undefined
  /** Why the shopper cannot withdraw from the contract about it. null: they can. */
  withdrawalExempt?: 'made_to_measure' | 'perishable' | 'sealed_hygiene' | 'sealed_media' | 'mixed_with_others' | 'periodical' | 'price_fluctuates' | 'dated_service' | 'digital_content' | null | undefined
  /** In minor units of the currency that the resource names. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
  /** The picture when it was ordered: an address, or the path of an uploaded one (`/media/…`). */
  image: string | null
}

export interface AdminOrderListResponse {
  /** Newest first, unless sort says otherwise. */
  data: AdminOrderSummary[]
  meta: ListMeta
}

export interface AdminOrderNamesResponse {
  /** Orders without a name, or whose shopper was erased, are left out; so are all where `customerNames` of the shop is masked. */
  data: ({
    /** Id of an order. */
    orderId: string
    name: string
  })[]
}

/** What the people of the shop wrote for themselves. */
export interface AdminOrderNote {
  /** Id of a note. */
  id: string
  text: string
  actor: AdminActor
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface AdminOrderNoteRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** For the people of the shop. It is stored as it is: not the place for addresses. */
  text: string
}

export interface AdminOrderNoteResponse {
  data: AdminOrderNote
}

export interface AdminOrderPaymentRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface AdminOrderRefund {
  /** Id of a refund. */
  id: string
  /** In minor units of the currency that the resource names. */
  amount: number
  /** ISO 4217 code. */
  currency: string
  status: 'pending' | 'succeeded' | 'failed'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** The payment that gives it back. */
  paymentId: string
  /** The first refund of the same amount, where several payments give it back. null in that one, and where one payment does. */
  partOf: string | null
  /** The units that it was made for. Empty where it was made by amount, or for the shipping. */
  items: ItemQuantity[]
  /** true: it was made for the shipping, alone or with items. */
  shipping: boolean
  /** true: it was not paid out. It paid the new order of an exchange. */
  exchanged: boolean
  /** The tax in the amount, as its credit note has it: the sum of that of the lines. null where there is none: the money has not gone back, went back a moment ago, or belongs to an order from before there were invoices. */
  tax: number | null
  /** What went back of each line of the invoice; a refund by amount is a part of all of them. Below zero: what an edit of the order added. Empty where the tax is null. */
  lines: ({
    /** null: the shipping. */
    skuId: string | null
    /** In basis points: 1900 is 19 %. */
    rate: number
    net: number
    tax: number
    total: number
  })[]
}

export interface AdminOrderResponse {
  data: AdminOrder
}

export interface AdminOrderSummary {
  /** Id of an order. */
  id: string
  /** The number people use, such as 1001. That of a test order begins with T-. */
  number: string
  mode: Mode
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** Sum of the quantities. */
  itemCount: number
  /** Id of a hosted checkout session. */
  checkoutSessionId: string
  /** Id of a cart. */
  cartId: string
  clientReferenceId: string | null
  customer: Customer
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  city: string | null
  country: string | null
  installation: OrderInstallation
  /** The agent that made the order. null: none did. */
  agent: {
    /** plt_none: a caller without a profile, such as a chat program. */
    platformId: string
    /** Of its profile. null: it has none, or is forgotten. */
    host: string | null
    /** ucp, acp or mcp. */
    protocol: string
  } | null
  /** Money that went back or is on its way. */
  refunded: number
}

export interface AdminPage {
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  page: PageEntry
}

export interface AdminPageChangeResponse {
  data: AdminPage
  /** What changed. */
  changes: AdminSubjectChange[]
}

export interface AdminPageListResponse {
  /** In the order of menus. `bodyHtml` is empty here. */
  data: AdminPage[]
}

export interface AdminPageResponse {
  data: AdminPage
}

export interface AdminPasswordResetRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface AdminPasswordResetResponse {
  data: {
    /** Id of a person, or of an invitation that was not accepted yet. */
    memberId: string
    /** The person opens it to set a password. Shown this once, to a person; null for a key or an app: then it is in an e-mail to the member. Works once, for seven days. */
    link: string | null
    /** RFC 3339, UTC, with milliseconds. */
    expiresAt: string
  }
}

export interface AdminPayment {
  /** Id of a payment. */
  id: string
  provider: string
  /** Such as card or bank_transfer. */
  method: string
  brand: string | null
  last4: string | null
  /** In minor units of the currency that the resource names. */
  amount: number
  status: 'processing' | 'pending' | 'succeeded' | 'declined' | 'voided'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** What it was really paid with, in the word of the provider, such as sepa_debit or apple_pay; null where method says all. */
  instrument: string | null
  /** The name that the provider gave it. */
  reference: string | null
  /** Its page in the dashboard of the provider, for people of the shop; null where there is none. */
  providerUrl: string | null
}

export interface AdminPaymentAccount {
  /** Id of an account at a payment provider. */
  id: string
  /** Name of the payment provider. */
  provider: string
  mode: Mode
  /** The provider's id of the account. */
  account: string | null
  /** The provider's own name of the account. */
  name: string | null
  /** Whether the provider can call this server. If not (the public URL is not https), payments are looked up on a schedule. */
  receivesNotices: boolean
  /** What does not work: the provider refuses the key, a permission is missing, or notices are refused because of their signature. */
  problems: ('key_refused' | 'permission_missing' | 'notices_refused')[]
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** Since then it takes no new payment; its own are looked up and refunded. */
  endedAt: string | null
}

export interface AdminPaymentAccountCheckResponse {
  data: {
    /** Id of an account at a payment provider. */
    id: string
    /** Name of the payment provider. */
    provider: string
    mode: Mode
    /** The provider's id of the account. */
    account: string | null
    /** The provider's own name of the account. */
    name: string | null
    /** Whether the provider can call this server. If not (the public URL is not https), payments are looked up on a schedule. */
    receivesNotices: boolean
    /** What does not work: the provider refuses the key, a permission is missing, or notices are refused because of their signature. */
    problems: ('key_refused' | 'permission_missing' | 'notices_refused')[]
    /** RFC 3339, UTC, with milliseconds. */
    createdAt: string
    /** Since then it takes no new payment; its own are looked up and refunded. */
    endedAt: string | null
    /** What is wrong at the provider now. Empty: the account works. */
    issues: ({
      /** JSON Pointer into the body; /query/… and /headers/… outside of it. */
      path: string
      /** The rule that is broken. Stable, for programs. */
      code: 'does_not_match' | 'required' | 'required_unless' | 'unknown_member' | 'unknown_parameter' | 'needs_members' | 'excluded_by' | 'too_many_members' | 'bad_member_name' | 'no_rule_met' | 'not_exactly' | 'not_one_of' | 'not_an_integer' | 'integer_out_of_range' | 'integer_too_low' | 'integer_too_high' | 'not_a_string' | 'string_length' | 'string_too_short' | 'string_too_long' | 'not_an_array' | 'array_length' | 'array_too_short' | 'array_too_long' | 'not_a_boolean' | 'not_an_object' | 'not_null' | 'repeated_item' | 'not_a_slug' | 'not_an_option' | 'not_an_instant' | 'not_a_currency' | 'not_a_country_code' | 'not_a_line' | 'not_plain_text' | 'not_visible_ascii' | 'not_a_web_address' | 'not_an_email' | 'not_a_contact' | 'not_a_phone' | 'not_a_locale' | 'not_a_subscription' | 'not_an_api_key' | 'not_an_id' | 'pattern_mismatch' | 'malformed' | 'ends_early' | 'forbidden_name' | 'repeated_name' | 'number_too_large' | 'number_too_precise' | 'nested_too_deep' | 'bad_text' | 'not_utf8' | 'contains_zero' | 'too_long' | 'ascii_length' | 'header_missing' | 'header_repeated' | 'bad_host_header' | 'bad_expectation' | 'bad_content_encoding' | 'bad_content_type' | 'too_many_headers' | 'bad_path' | 'bad_cursor' | 'empty_search' | 'unknown_sku' | 'duplicate' | 'not_in_future' | 'test_mode_only' | 'needed' | 'needed_in_country' | 'not_a_country' | 'not_a_region' | 'not_a_vat_id' | 'not_a_postal_code' | 'phone_digits' | 'no_letter' | 'no_letter_or_digit' | 'contains_angle_bracket' | 'contains_link' | 'url_characters' | 'url_unreadable' | 'url_not_secure' | 'url_has_credentials' | 'url_host_unclear' | 'url_host_not_allowed' | 'blank' | 'control_characters' | 'too_many_items' | 'one_of_two' | 'goes_with' | 'not_offered' | 'form_altered' | 'html_too_long' | 'not_uploaded_here' | 'not_an_image_address' | 'option_missing' | 'unknown_option' | 'unknown_option_value' | 'not_above_price' | 'other_kind_of_measure' | 'unreadable_instant' | 'published_in_future' | 'maker_not_in_file' | 'category_not_in_file' | 'sku_not_in_file' | 'category_circle' | 'unknown_column' | 'meaning_missing' | 'meaning_repeated' | 'unknown_image_format' | 'broken_image' | 'image_too_large' | 'image_too_heavy' | 'image_has_metadata' | 'promotion_code' | 'needed_for_type' | 'unfit_for_type' | 'not_an_instant_in_utc' | 'not_after_start' | 'unknown_currency' | 'unknown_country' | 'unknown_time_zone' | 'not_one_email' | 'not_rising' | 'instructions_needed' | 'key_of_other_mode' | 'not_a_publishable_key' | 'not_a_secret_key' | 'not_a_mollie_key' | 'live_key_with_stand_in' | 'key_not_accepted' | 'keys_of_two_accounts' | 'key_of_other_account' | 'permissions_missing' | 'account_not_charging' | 'account_blocked' | 'no_method_at_provider' | 'endpoint_missing' | 'endpoint_moved' | 'endpoint_off' | 'endpoint_not_deleted' | 'domain_unknown' | 'domain_off' | 'wallet_inactive' | 'provider_refused' | 'provider_unreachable' | 'secrets_unopened' | 'not_a_day' | 'after_last_day' | 'too_many_days' | 'text_too_large' | 'link_not_secure' | 'placeholder_missing' | 'not_a_host' | 'not_one_host' | 'host_not_public' | 'own_host' | 'page_reserved' | 'link_not_allowed' | 'not_a_shop_path' | 'leads_to_itself' | 'not_an_origin' | 'no_origin' | 'origins_of_secret_key' | 'scopes_of_publishable_key' | 'target_too_long' | 'target_characters' | 'target_unreadable' | 'target_not_secure' | 'target_host_unclear' | 'target_has_credentials' | 'target_has_fragment' | 'target_private_address' | 'target_host_invalid' | 'target_private_host' | 'target_port' | 'no_event' | 'too_many_events' | 'unknown_event' | 'line_length' | 'line_too_long' | 'address_count' | 'not_some_of' | 'not_either' | 'redirect_not_secure' | 'redirect_has_fragment' | 'redirect_has_credentials' | 'redirect_has_wildcard' | 'redirect_not_loopback' | 'redirect_spelling' | 'app_of_other_file' | 'app_of_other_merchant' | 'not_a_key_set' | 'key_count' | 'repeated_key_id' | 'not_a_key' | 'private_key' | 'unknown_key_type' | 'bad_key_id' | 'not_base64url' | 'invalid_key' | 'weak_key' | 'file_too_large' | 'file_not_utf8' | 'file_too_deep' | 'file_unreadable'
      /** The values of the rule, such as max. */
      values: Record<string, string | number | string[]>
      /** The rule in words, for people; may change. */
      message: string
    })[]
  }
}

export interface AdminPaymentAccountEndResponse {
  data: {
    /** Id of an account at a payment provider. */
    id: string
    /** Name of the payment provider. */
    provider: string
    mode: Mode
    /** The provider's id of the account. */
    account: string | null
    /** The provider's own name of the account. */
    name: string | null
    /** Whether the provider can call this server. If not (the public URL is not https), payments are looked up on a schedule. */
    receivesNotices: boolean
    /** What does not work: the provider refuses the key, a permission is missing, or notices are refused because of their signature. */
    problems: ('key_refused' | 'permission_missing' | 'notices_refused')[]
    /** RFC 3339, UTC, with milliseconds. */
    createdAt: string
    /** Since then it takes no new payment; its own are looked up and refunded. */
    endedAt: string | null
    /** Why what was made at the provider for notices is still there. null: nothing is. */
    leftover: {
      /** JSON Pointer into the body; /query/… and /headers/… outside of it. */
      path: string
      /** The rule that is broken. Stable, for programs. */
      code: 'does_not_match' | 'required' | 'required_unless' | 'unknown_member' | 'unknown_parameter' | 'needs_members' | 'excluded_by' | 'too_many_members' | 'bad_member_name' | 'no_rule_met' | 'not_exactly' | 'not_one_of' | 'not_an_integer' | 'integer_out_of_range' | 'integer_too_low' | 'integer_too_high' | 'not_a_string' | 'string_length' | 'string_too_short' | 'string_too_long' | 'not_an_array' | 'array_length' | 'array_too_short' | 'array_too_long' | 'not_a_boolean' | 'not_an_object' | 'not_null' | 'repeated_item' | 'not_a_slug' | 'not_an_option' | 'not_an_instant' | 'not_a_currency' | 'not_a_country_code' | 'not_a_line' | 'not_plain_text' | 'not_visible_ascii' | 'not_a_web_address' | 'not_an_email' | 'not_a_contact' | 'not_a_phone' | 'not_a_locale' | 'not_a_subscription' | 'not_an_api_key' | 'not_an_id' | 'pattern_mismatch' | 'malformed' | 'ends_early' | 'forbidden_name' | 'repeated_name' | 'number_too_large' | 'number_too_precise' | 'nested_too_deep' | 'bad_text' | 'not_utf8' | 'contains_zero' | 'too_long' | 'ascii_length' | 'header_missing' | 'header_repeated' | 'bad_host_header' | 'bad_expectation' | 'bad_content_encoding' | 'bad_content_type' | 'too_many_headers' | 'bad_path' | 'bad_cursor' | 'empty_search' | 'unknown_sku' | 'duplicate' | 'not_in_future' | 'test_mode_only' | 'needed' | 'needed_in_country' | 'not_a_country' | 'not_a_region' | 'not_a_vat_id' | 'not_a_postal_code' | 'phone_digits' | 'no_letter' | 'no_letter_or_digit' | 'contains_angle_bracket' | 'contains_link' | 'url_characters' | 'url_unreadable' | 'url_not_secure' | 'url_has_credentials' | 'url_host_unclear' | 'url_host_not_allowed' | 'blank' | 'control_characters' | 'too_many_items' | 'one_of_two' | 'goes_with' | 'not_offered' | 'form_altered' | 'html_too_long' | 'not_uploaded_here' | 'not_an_image_address' | 'option_missing' | 'unknown_option' | 'unknown_option_value' | 'not_above_price' | 'other_kind_of_measure' | 'unreadable_instant' | 'published_in_future' | 'maker_not_in_file' | 'category_not_in_file' | 'sku_not_in_file' | 'category_circle' | 'unknown_column' | 'meaning_missing' | 'meaning_repeated' | 'unknown_image_format' | 'broken_image' | 'image_too_large' | 'image_too_heavy' | 'image_has_metadata' | 'promotion_code' | 'needed_for_type' | 'unfit_for_type' | 'not_an_instant_in_utc' | 'not_after_start' | 'unknown_currency' | 'unknown_country' | 'unknown_time_zone' | 'not_one_email' | 'not_rising' | 'instructions_needed' | 'key_of_other_mode' | 'not_a_publishable_key' | 'not_a_secret_key' | 'not_a_mollie_key' | 'live_key_with_stand_in' | 'key_not_accepted' | 'keys_of_two_accounts' | 'key_of_other_account' | 'permissions_missing' | 'account_not_charging' | 'account_blocked' | 'no_method_at_provider' | 'endpoint_missing' | 'endpoint_moved' | 'endpoint_off' | 'endpoint_not_deleted' | 'domain_unknown' | 'domain_off' | 'wallet_inactive' | 'provider_refused' | 'provider_unreachable' | 'secrets_unopened' | 'not_a_day' | 'after_last_day' | 'too_many_days' | 'text_too_large' | 'link_not_secure' | 'placeholder_missing' | 'not_a_host' | 'not_one_host' | 'host_not_public' | 'own_host' | 'page_reserved' | 'link_not_allowed' | 'not_a_shop_path' | 'leads_to_itself' | 'not_an_origin' | 'no_origin' | 'origins_of_secret_key' | 'scopes_of_publishable_key' | 'target_too_long' | 'target_characters' | 'target_unreadable' | 'target_not_secure' | 'target_host_unclear' | 'target_has_credentials' | 'target_has_fragment' | 'target_private_address' | 'target_host_invalid' | 'target_private_host' | 'target_port' | 'no_event' | 'too_many_events' | 'unknown_event' | 'line_length' | 'line_too_long' | 'address_count' | 'not_some_of' | 'not_either' | 'redirect_not_secure' | 'redirect_has_fragment' | 'redirect_has_credentials' | 'redirect_has_wildcard' | 'redirect_not_loopback' | 'redirect_spelling' | 'app_of_other_file' | 'app_of_other_merchant' | 'not_a_key_set' | 'key_count' | 'repeated_key_id' | 'not_a_key' | 'private_key' | 'unknown_key_type' | 'bad_key_id' | 'not_base64url' | 'invalid_key' | 'weak_key' | 'file_too_large' | 'file_not_utf8' | 'file_too_deep' | 'file_unreadable'
      /** The values of the rule, such as max. */
      values: Record<string, string | number | string[]>
      /** The rule in words, for people; may change. */
      message: string
    } | null
  }
}

export interface AdminPaymentAccountResponse {
  data: AdminPaymentAccount
}

export interface AdminPaymentClosureRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** What you saw at the provider. succeeded: the order is placed or paid, or the money goes back where no order is possible any more. declined: nothing was charged; an authorization that is still open is to be cancelled there. */
  outcome: 'succeeded' | 'declined'
}

export interface AdminPaymentMethod {
  /** A way to pay without a payment provider. */
  provider: 'bank_transfer' | 'cash_on_delivery'
  /** Whether it is offered to shoppers, in the mode of the caller. */
  enabled: boolean
  /** What the shopper is told, such as the bank account. */
  instructions: string | null
  /** An order that is not paid after so many days is cancelled. */
  termDays: number | null
}

export interface AdminPaymentResponse {
  data: AdminSinglePayment
}

export interface AdminPeople {
  /** Whether everyone of the shop signs in with a second factor. Who has none sets one up first, and can do nothing else. */
  secondFactorRequired: boolean
  membersWithoutSecondFactor: number
}

export interface AdminPeopleResponse {
  data: AdminPeople
}

export interface AdminPeopleUpdateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  secondFactorRequired: boolean
}

export interface AdminPicture {
  /** Id of a picture: the same motif in one or several sizes. */
  pictureId: string
  /** Its path on this server. What is under it never changes. */
  url: string
  /** In pixels. */
  width: number
  /** In pixels. */
  height: number
  /** All sizes of the picture, the smallest first. */
  sizes: ({
    /** Its path on this server. What is under it never changes. */
    url: string
    /** In pixels. */
    width: number
    /** In pixels. */
    height: number
  })[]
}

export interface AdminPictureRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The file in base64: WebP, JPEG, PNG or AVIF of at most 1 MiB and 4,096 pixels a side. Camera data is taken out; an AVIF file with camera data is refused. */
  content: string
  /** Makes the file another size of this picture. */
  pictureId?: string | undefined
}

export interface AdminPictureResponse {
  data: AdminPicture
}

export interface AdminPieceRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The next part of the file, of at most 256 KiB in UTF-8. It may end anywhere. A file in another encoding is decoded by the caller. */
  text: string
}

export interface AdminPlannedChange {
  /** Of the file. */
  line: number
  kind: 'create' | 'change' | 'retire' | 'look'
  type: 'category' | 'product' | 'sku' | 'stock'
  /** A slug or a code. */
  name: string
  /** Long values are cut. */
  members: AdminMemberChange[]
}

export interface AdminProduct {
  /** Id of a product. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  status: ProductStatus
  /** What the merchant wrote. It can be changed and sent back. */
  product: ProductEntry
  /** The SKUs in the order of `product.skus`. */
  skus: AdminProductSku[]
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  archivedAt: string | null
}

export interface AdminProductChangeResponse {
  data: AdminProduct
  /** What changed, or with dryRun would change. */
  changes: AdminSubjectChange[]
}

export interface AdminProductListResponse {
  /** By the last change, newest first by default. */
  data: AdminProductSummary[]
  meta: ListMeta
}

export interface AdminProductResponse {
  data: AdminProduct
}

export interface AdminProductSku {
  /** Id of a SKU: one variant of a product that can be bought. */
  id: string
  code: string
  /** The lowest price of the 30 days before the announced reduction began, which the shop strikes through. null: it shows no reduction. */
  priorPrice: number | null
  /** Units that exist, in the mode of the caller. */
  onHand: number
  /** Units that are reserved for checkouts. */
  held: number
}

export interface AdminProductSummary {
  /** Id of a product. */
  id: string
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
  brand: string | null
  status: ProductStatus
  picture: string | null
  categories: string[]
  tags: string[]
  /** In minor units of the currency that the resource names. */
  priceMin: number
  /** In minor units of the currency that the resource names. */
  priceMax: number
  skuCount: number
  /** Units that exist, in the mode of the caller. */
  onHand: number
  /** Units that are reserved for checkouts. */
  held: number
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface AdminPromotion {
  /** Id of a promotion. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  status: PromotionStatus
  /** Uses so far, in the mode of the caller. */
  used: number
  /** What the merchant wrote. It can be changed and sent back. */
  promotion: PromotionEntry
}

export interface AdminPromotionListResponse {
  /** By code. */
  data: AdminPromotion[]
  meta: ListMeta
}

export interface AdminPromotionResponse {
  data: AdminPromotion
}

export interface AdminRedirect {
  /** Id of a redirect. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** An old path of the shop, such as /products/old-name. Case, doubled slashes and one at the end do not matter. */
  from: string
  /** A path of the same shop, with a query or without one. null: what was there is gone, and is answered with 410. */
  to: string | null
  /** What made it. */
  cause: 'merchant' | 'rename' | 'removal' | 'import'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface AdminRedirectChangeResponse {
  data: AdminRedirect
  /** What changed. */
  changes: AdminSubjectChange[]
}

export interface AdminRedirectListResponse {
  /** By path. */
  data: AdminRedirect[]
  meta: ListMeta
}

export interface AdminRedirectResponse {
  data: AdminRedirect
}

/** By amount, or by items and shipping. Without any of them: what failed to be refunded before, or else all that is left. */
export interface AdminRefundRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** What the caller has seen as refunded and on its way back, in minor units: `totals.refunded` and `totals.refundPending`. Another sum is refused with 409 version_conflict. A refund that is on its way leaves the version as it is. */
  expectedRefunded?: number | undefined
  /** In minor units. */
  amount?: number | undefined
  /** Units that are refunded at what was paid for them, tax and discount included. */
  items?: ItemQuantity[] | undefined
  /** true: also what was paid for the shipping. */
  shipping?: boolean | undefined
  /** true: the items go back into stock. */
  restock?: boolean | undefined
  reason?: string | undefined
  /** true: the money was given back already, outside of the provider. It is recorded, and the provider is not asked. */
  byHand?: boolean | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface AdminRefundResponse {
  data: {
    /** What goes back; with dryRun, what would. */
    amount: number
    /** null with dryRun. */
    refund: OrderRefund | null
    restocked: ItemQuantity[]
    order: AdminOrder
  }
}

export interface AdminRefusedRow {
  /** Of the file. */
  line: number
  /** The handle or the code, where the row has one. */
  name: string
  /** For people; may change. */
  reason: string
  code: AdminRemarkCode
  /** The values of the sentence, such as max. */
  values: Record<string, string | number | string[]>
  /** Further rows of the same product that are refused too. */
  moreRows: number
  /** Whether the whole product is left out, not only the row. */
  leavesOut: boolean
}

export interface AdminRemark {
  /** Of the file. Null: it is about the whole of it. */
  line: number | null
  code: AdminRemarkCode
  /** The values of the sentence, such as max. */
  values: Record<string, string | number | string[]>
  /** For people; may change. */
  message: string
}

/** What is said. Stable, for programs. earlier: a sentence of an earlier version of the server. */
export type AdminRemarkCode = 'earlier' | 'file_empty' | 'row_too_large' | 'cell_too_large' | 'too_many_cells' | 'quote_open_too_long' | 'quote_never_closed' | 'mixed_delimiters' | 'unknown_encoding' | 'not_in_encoding' | 'perhaps_utf16' | 'csv_not_utf8' | 'feed_not_utf8' | 'document_type' | 'elements_too_deep' | 'xml_text_too_long' | 'xml_tag_too_long' | 'xml_token_too_long' | 'text_outside_root' | 'second_root' | 'no_element' | 'ends_within_tag' | 'ends_within_element' | 'wrong_end_tag' | 'stray_end_tag' | 'bare_ampersand' | 'xml_malformed' | 'not_a_feed' | 'wordpress_export' | 'too_many_elements' | 'feed_too_large' | 'too_many_rows' | 'reading_broken_off' | 'column_missing' | 'columns_unknown' | 'columns_assigned_before' | 'stock_columns_missing' | 'stock_file' | 'woocommerce_language' | 'currency_column_missing' | 'row_too_wide' | 'row_empty' | 'row_without_product' | 'parent_missing' | 'type_not_imported' | 'too_many_attributes' | 'no_variations' | 'no_variant' | 'too_many_variants' | 'handle_missing' | 'handle_repeated' | 'title_missing' | 'option_value_too_long' | 'option_without_value' | 'same_options' | 'variant_repeated' | 'variant_unknown' | 'sku_missing' | 'sku_too_long' | 'sku_repeated' | 'sku_unknown' | 'sku_of_other_product' | 'sku_without_price' | 'product_without_price' | 'maker_unknown' | 'stock_not_a_number' | 'current_stock_not_a_number' | 'stock_differs' | 'category_too_deep' | 'category_below_depth' | 'too_many_categories' | 'category_removed' | 'product_changed' | 'not_written' | 'not_written_because' | 'too_many_with_unnamed' | 'unnamed_lacks_option' | 'unnamed_repeats' | 'unnamed_has_other_option' | 'unnamed_has_other_value' | 'unnamed_not_above_price' | 'unnamed_does_not_fit' | 'price_missing' | 'price_too_high' | 'price_negative' | 'price_has_comma' | 'price_too_precise' | 'price_not_a_number' | 'price_without_currency' | 'price_in_other_currency' | 'compare_at_price_too_high' | 'compare_at_price_negative' | 'compare_at_price_has_comma' | 'compare_at_price_too_precise' | 'compare_at_price_not_a_number' | 'compare_at_price_not_above' | 'compare_at_price_not_shown' | 'columns_not_imported' | 'columns_by_place' | 'no_prices' | 'no_quantities' | 'further_notes' | 'quote_not_doubled' | 'handle_became_slug' | 'found_by_id' | 'title_cut' | 'brand_cut' | 'seo_cut' | 'description_cut' | 'description_html_cut' | 'description_unformatted' | 'attributes_in_description' | 'categories_cut' | 'category_cut' | 'category_left_out' | 'tags_cut' | 'tags_too_long' | 'warnings_cut' | 'warnings_too_long' | 'not_an_exemption' | 'guarantee_left_out' | 'unknown_status' | 'published_unclear' | 'image_left_out' | 'images_cut' | 'image_by_https' | 'image_not_https' | 'not_taxable' | 'untracked_counted' | 'unknown_policy' | 'stock_left_out' | 'stock_negative' | 'barcode_left_out' | 'weight_left_out' | 'content_left_out' | 'unit_price_for' | 'option_named' | 'sku_used_before' | 'sku_used_elsewhere' | 'variation_unrolled' | 'variation_unrolled_in_part'

export interface AdminRemotePictures {
  /** How many are on this server now. */
  broughtOver: number
  /** How many are still to be tried, or tried again. */
  waiting: number
  /** How many stay where they are. */
  givenUp: number
  /** The first hundred that were given up, by product. */
  problems: ({
    /** Where the picture is. */
    url: string
    /** The product that shows it. */
    productSlug: string
    /** `forbidden`: an address that this server may not call. `missing`: its server does not have it. `unreachable`, `too_slow`: its server did not answer, or not in time, five times. `too_large`: more than 15 MiB, or too many pixels. `not_a_picture`: no picture that browsers show. `limit`: the shop has as many pictures as it may have. */
    problem: 'forbidden' | 'missing' | 'unreachable' | 'too_slow' | 'too_large' | 'not_a_picture' | 'limit'
  })[]
}

export interface AdminRemotePicturesResponse {
  data: AdminRemotePictures
}

export interface AdminReturn {
  /** Id of a return. */
  id: string
  /** The number people use: that of the order, and which return of it this is. */
  number: string
  /** Id of an order. */
  orderId: string
  orderNumber: string
  mode: Mode
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** requested: the merchant has not answered. approved: the items may be sent. received: some or all came. refused, closed: it is over. */
  status: 'requested' | 'approved' | 'received' | 'refused' | 'closed'
  reason: 'changed_mind' | 'does_not_fit' | 'damaged' | 'wrong_item' | 'not_as_described' | 'late' | 'other'
  /** What the shopper would like to have for the items. */
  wish: 'refund' | 'exchange'
  openedBy: 'shopper' | 'merchant'
  items: ReturnItem[]
  /** New orders that were placed for the items, the oldest first. */
  exchanges: ReturnExchange[]
  /** What the merchant wrote to the shopper: how to send the items, or why not. */
  answer: string | null
  /** Where the shopper finds the label for the parcel. */
  labelUrl: string | null
  /** RFC 3339, UTC, with milliseconds. */
  requestedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  /** ISO 4217 code. */
  currency: string
  /** What the shopper wrote. null without the scope admin:orders, and once the shopper is erased. */
  note: string | null
  /** Refunds that were made for it, the oldest first. What was exchanged is in exchanges. */
  refunds: OrderRefund[]
  /** What went back for it, or is on its way. */
  refunded: number
  /** An exchange that waits for its payment by the link of a draft. */
  openExchange: OpenChange | null
  /** The operations that the return would accept now, as far as its state says. */
  allowed: ('approveAdminReturn' | 'refuseAdminReturn' | 'receiveAdminReturn' | 'refundAdminReturn' | 'exchangeAdminReturn' | 'closeAdminReturn')[]
  /** Who did what, newest first. */
  changes: AdminChange[]
}

export interface AdminReturnListResponse {
  /** Newest first. */
  data: AdminReturnSummary[]
  meta: ListMeta
}

export interface AdminReturnResponse {
  data: AdminReturn
}

export interface AdminReturnSummary {
  /** Id of a return. */
  id: string
  /** The number people use: that of the order, and which return of it this is. */
  number: string
  /** Id of an order. */
  orderId: string
  orderNumber: string
  mode: Mode
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** requested: the merchant has not answered. approved: the items may be sent. received: some or all came. refused, closed: it is over. */
  status: 'requested' | 'approved' | 'received' | 'refused' | 'closed'
  reason: 'changed_mind' | 'does_not_fit' | 'damaged' | 'wrong_item' | 'not_as_described' | 'late' | 'other'
  /** What the shopper would like to have for the items. */
  wish: 'refund' | 'exchange'
  openedBy: 'shopper' | 'merchant'
  items: ReturnItem[]
  /** New orders that were placed for the items, the oldest first. */
  exchanges: ReturnExchange[]
  /** What the merchant wrote to the shopper: how to send the items, or why not. */
  answer: string | null
  /** Where the shopper finds the label for the parcel. */
  labelUrl: string | null
  /** RFC 3339, UTC, with milliseconds. */
  requestedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  /** ISO 4217 code. */
  currency: string
}

/** owner: everything. staff: catalog, orders, refunds and customers. viewer: look at everything but customers. custom: the scopes that were chosen. */
export type AdminRole = 'owner' | 'staff' | 'viewer' | 'custom'

export interface AdminSales {
  /** Orders that were placed and not cancelled. */
  orders: number
  /** How many pieces were sold. */
  items: number
  /** In minor units of the currency that the resource names. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** 0 in rows of products: shipping belongs to an order. */
  shipping: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
  /** What went back of these orders. 0 in rows of products. */
  refunded: number
  /** The tax in what went back, by the credit notes of these orders, which follow the money within seconds. 0 in rows of products. */
  refundedTax: number
  /** The part of the total that is awaited. */
  unpaid: number
  /** What banks took back of these orders, by disputes that were lost. Only in rows of days, weeks and months. */
  lost: number
  /** The total without what was refunded and lost. */
  net: number
}

export interface AdminSalesReport {
  from: string
  to: string
  by: 'day' | 'week' | 'month' | 'product' | 'promotion' | 'country'
  /** Where the days begin at midnight: an IANA name. */
  timeZone: string
  /** ISO 4217 code. */
  currency: string
  /** Days, weeks and months in their order, without gaps. Everything else by its total, the largest first. */
  rows: AdminSalesRow[]
  /** Of all orders in these days, also of those that no row names. */
  sum: AdminSales
  /** What is missing in the rows for them to add up to the sum, such as shipping where they are products. Orders and items of it are 0. */
  rest: AdminSales
  /** The sum of as many days before. */
  before: AdminSales
}

export interface AdminSalesResponse {
  data: AdminSalesReport
}

export interface AdminSalesRow {
  /** The first day of the day, week or month; the slug of the product, the id of the promotion, or the country, which is empty where nothing was sent. */
  key: string
  /** Of the product, or the code of the promotion. */
  name: string | null
  /** Orders that were placed and not cancelled. */
  orders: number
  /** How many pieces were sold. */
  items: number
  /** In minor units of the currency that the resource names. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** 0 in rows of products: shipping belongs to an order. */
  shipping: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
  /** What went back of these orders. 0 in rows of products. */
  refunded: number
  /** The tax in what went back, by the credit notes of these orders, which follow the money within seconds. 0 in rows of products. */
  refundedTax: number
  /** The part of the total that is awaited. */
  unpaid: number
  /** What banks took back of these orders, by disputes that were lost. Only in rows of days, weeks and months. */
  lost: number
  /** The total without what was refunded and lost. */
  net: number
}

export interface AdminSearchResponse {
  data: {
    /** By number, tracking number, the code of an item, or the beginnings of words of e-mail, name, city and postal code. Newest first. Where nothing is found as it was typed, by a word with one mistake; so are products. */
    orders: FoundOrder[]
    /** By a part of the name. */
    products: FoundProduct[]
    /** By the beginning of the code. */
    skus: FoundSku[]
    /** By the beginning of the code. */
    promotions: FoundPromotion[]
  }
}

export interface AdminSessionsEndRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface AdminSessionsEndedResponse {
  data: {
    /** Id of a person, or of an invitation that was not accepted yet. */
    memberId: string
    /** How many sessions of the dashboard were open. */
    ended: number
  }
}

export interface AdminShop {
  /** Id of a merchant. */
  id: string
  /** Of all that this answer shows. */
  version: number
  shop: ShopEntry
  /** IANA name, such as Europe/Berlin. */
  timeZone: string
  taxes: TaxEntry[]
  shipping: ShippingZoneEntry[]
  paymentMethods: AdminPaymentMethod[]
  /** Accounts that take payments, in the mode of the caller. */
  paymentAccounts: AdminPaymentAccount[]
}

export interface AdminShopChangeResponse {
  data: AdminShop
  /** What changed, or with dryRun would change. */
  changes: AdminSubjectChange[]
}

export interface AdminShopResponse {
  data: AdminShop
}

export interface AdminSinglePayment {
  /** Id of a payment. */
  id: string
  provider: string
  /** Such as card or bank_transfer. */
  method: string
  brand: string | null
  last4: string | null
  /** In minor units of the currency that the resource names. */
  amount: number
  status: 'processing' | 'pending' | 'succeeded' | 'declined' | 'voided'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** What it was really paid with, in the word of the provider, such as sepa_debit or apple_pay; null where method says all. */
  instrument: string | null
  /** The name that the provider gave it. */
  reference: string | null
  /** Its page in the dashboard of the provider, for people of the shop; null where there is none. */
  providerUrl: string | null
  /** ISO 4217 code. */
  currency: string
  /** What the provider says that it took. Another amount than was asked for is not booked. */
  collected: number
  /** null where none was placed: the shopper is still at the checkout, or has left it. */
  order: {
    /** Id of an order. */
    id: string
    number: string
  } | null
  /** Whether closeAdminPayment would be accepted now: the outcome is not known, and the payment began more than an hour ago. */
  closable: boolean
}

export interface AdminSite {
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** While it is closed, only people of the merchant who are signed in see it. */
  status: 'open' | 'closed'
  openedAt: string | null
  /** Where this server shows it. null if it does not. */
  url: string | null
  /** Of the shop in live mode, oldest first. */
  hosts: AdminHost[]
  /** What shoppers see: look, home and menus, in both modes. */
  published: SiteContent
  /** What they would see once it is published. null if nothing differs. */
  draft: SiteContent | null
  /** The shop in the look of the draft, for people of the merchant who are signed in. */
  draftUrl: string | null
}

export interface AdminSiteChangeResponse {
  data: AdminSite
  /** What changed. */
  changes: AdminSubjectChange[]
}

export interface AdminSiteResponse {
  data: AdminSite
}

export interface AdminSku {
  /** Id of a SKU: one variant of a product that can be bought. */
  id: string
  /** Id of a product. */
  productId: string
  productName: string
  code: string
  name: string
  /** In minor units of the currency that the resource names. */
  price: number
  compareAtPrice: number | null
  /** The lowest price of the 30 days before the announced reduction began, which the shop strikes through. null: it shows no reduction. */
  priorPrice: number | null
  /** Its own, or else the first of its product. */
  picture: string | null
  /** Units that exist, in the mode of the caller. */
  onHand: number
  /** Units that are reserved for checkouts. */
  held: number
  /** Units that can be bought now. */
  available: number
}

export interface AdminSkuListResponse {
  /** By code, unless sort says otherwise. */
  data: AdminSku[]
  meta: ListMeta
}

export interface AdminStockMovement {
  id: string
  /** opening: when the SKU was made. set: by hand. */
  kind: 'opening' | 'set' | 'sold' | 'restocked'
  delta: number
  reason: string | null
  /** The order or checkout that took it or gave it back. */
  orderId: string | null
  actor: {
    kind: 'person' | 'key' | 'app' | 'operator' | 'loop'
    id: string
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface AdminStockMovementListResponse {
  /** Newest first, in the mode of the caller. */
  data: AdminStockMovement[]
  meta: ListMeta
}

export interface AdminSubjectChange {
  /** look: sealed data was shown, and nothing changed. */
  kind: 'create' | 'change' | 'retire' | 'look'
  subject: {
    type: 'merchant' | 'category' | 'maker' | 'product' | 'sku' | 'stock' | 'picture' | 'taxes' | 'shipping' | 'promotion' | 'payment_method' | 'payment_account' | 'site' | 'site_host' | 'site_page' | 'site_content' | 'redirect' | 'letters' | 'installation' | 'app' | 'key' | 'webhook' | 'webhook_delivery' | 'member' | 'invitation' | 'people' | 'order' | 'fulfillment' | 'refund' | 'payment' | 'order_note' | 'return' | 'withdrawal' | 'customer' | 'customer_note' | 'draft' | 'document' | 'legal_text' | 'transfer' | 'agents' | 'agent_platform'
    id: string
    /** What people call it: a number, a code, a name. */
    name: string
  }
  members: AdminMemberChange[]
}

export interface AdminTaxReport {
  /** A day, such as `2026-06-01`. */
  from: string
  /** A day, such as `2026-06-01`. */
  to: string
  timeZone: string
  /** ISO 4217 code. */
  currency: string
  /** Invoices and credit notes of these days, in all currencies. */
  documents: number
  /** By country and rate. Invoices without credit notes, by the date of the document. */
  rows: AdminTaxRow[]
  sum: {
    /** In minor units; negative where more was credited than invoiced. */
    net: number
    /** In minor units; negative where more was credited than invoiced. */
    tax: number
    /** In minor units; negative where more was credited than invoiced. */
    total: number
  }
}

export interface AdminTaxResponse {
  data: AdminTaxReport
}

export interface AdminTaxRow {
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** In basis points: 1900 is 19 %. */
  rate: number
  /** Why no tax is charged; null where it is. */
  reason: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | 'zero_rate' | null
  /** Invoices with this rate. */
  invoices: number
  /** Credit notes with this rate. */
  creditNotes: number
  /** In minor units; negative where more was credited than invoiced. */
  net: number
  /** In minor units; negative where more was credited than invoiced. */
  tax: number
  /** In minor units; negative where more was credited than invoiced. */
  total: number
}

export interface AdminText {
  /** guarantee: the harmonised notice on the legal guarantee of goods, which is a picture. */
  kind: 'terms' | 'withdrawal' | 'privacy' | 'imprint' | 'accessibility' | 'shipping' | 'guarantee'
  language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar'
  /** Of this kind in this language. */
  version: number
  /** Plain text; lines count. Of `guarantee`: the address of the picture. */
  text: string
  /** When this version began to hold. */
  since: string
}

export interface AdminTextListResponse {
  /** Those that hold now, one for each kind and language. */
  data: AdminText[]
}

export interface AdminTextRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** guarantee: the harmonised notice on the legal guarantee of goods, which is a picture. */
  kind: 'terms' | 'withdrawal' | 'privacy' | 'imprint' | 'accessibility' | 'shipping' | 'guarantee'
  language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar'
  /** Plain text; of `guarantee` the `url` of a picture that was uploaded. Empty: from now on there is none. */
  text: string
}

export interface AdminTextResponse {
  data: AdminText
}

/** How many of each wait for someone. 1000 means 1000 or more. */
export interface AdminTodo {
  toSend: number
  awaitingPayment: number
  refundsFailed: number
  disputesOpen: number
  withdrawals: number
  lowStock: number
  webhooksFailing: number
  paymentAccountsFailing: number
  paymentsUnsettled: number
}

export interface AdminTransfer {
  /** Id of an import. */
  id: string
  kind: 'products' | 'stock'
  /** Of the file. */
  name: string
  /** receiving: pieces are missing. planning: the file is compared with the shop. columns: the file is of no system that is known, so what its columns hold has to be assigned. ready: the plan waits for its confirmation. writing: it was confirmed. done: everything was written. failed: the file cannot be read, `problem` says why. */
  state: 'receiving' | 'planning' | 'columns' | 'ready' | 'writing' | 'done' | 'failed'
  /** How many pieces the file has. */
  pieces: number
  /** How many of them were sent. */
  received: number
  /** Products that are new. */
  created: number
  /** Products, or SKUs of a stock file, that differ from the file. */
  changed: number
  /** Products or SKUs that already are what the file says. */
  unchanged: number
  /** Rows that cannot be taken. While it is written, rows that were overtaken are added. */
  refused: number
  /** How many of the created and changed ones are written. */
  written: number
  /** Why the file could not be read. */
  problem: AdminRemark | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  /** Null: the file says itself what its columns hold. */
  columns: AdminFileColumn[] | null
  changesCount: number
  /** What would change, in the order of the file: the first 100. */
  changes: AdminPlannedChange[]
  /** The first 1,000. */
  refusedRows: AdminRefusedRow[]
  /** What of the file is taken otherwise than it is written there: the first 100. */
  notes: AdminRemark[]
}

export interface AdminTransferConfirmation {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface AdminTransferListResponse {
  /** Newest first. */
  data: AdminTransferSummary[]
  meta: ListMeta
}

export interface AdminTransferRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** products: a product file of Shopify, WooCommerce, Wix or Medusa as CSV, a Google feed as CSV or XML, or any CSV whose columns are assigned. stock: CSV with the columns `SKU`, `On hand (new)` and, better, `On hand (current)`. */
  kind: 'products' | 'stock'
  /** Of the file, for people. */
  name: string
  /** How many pieces will be sent. */
  pieces: number
}

export interface AdminTransferResponse {
  data: AdminTransfer
}

export interface AdminTransferSummary {
  /** Id of an import. */
  id: string
  kind: 'products' | 'stock'
  /** Of the file. */
  name: string
  /** receiving: pieces are missing. planning: the file is compared with the shop. columns: the file is of no system that is known, so what its columns hold has to be assigned. ready: the plan waits for its confirmation. writing: it was confirmed. done: everything was written. failed: the file cannot be read, `problem` says why. */
  state: 'receiving' | 'planning' | 'columns' | 'ready' | 'writing' | 'done' | 'failed'
  /** How many pieces the file has. */
  pieces: number
  /** How many of them were sent. */
  received: number
  /** Products that are new. */
  created: number
  /** Products, or SKUs of a stock file, that differ from the file. */
  changed: number
  /** Products or SKUs that already are what the file says. */
  unchanged: number
  /** Rows that cannot be taken. While it is written, rows that were overtaken are added. */
  refused: number
  /** How many of the created and changed ones are written. */
  written: number
  /** Why the file could not be read. */
  problem: AdminRemark | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface AdminUndeliveredRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** true: what came back goes into stock. */
  restock?: boolean | undefined
}

export interface AdminUndoRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface AdminUndoResponse {
  data: {
    /** What was put back; with dryRun, what would be. */
    changes: AdminSubjectChange[]
  }
}

export interface AdminUnsettledPaymentsResponse {
  /** Oldest first. */
  data: AdminSinglePayment[]
  meta: ListMeta
}

export interface AdminWebhookDelivery {
  /** Id of a webhook delivery: one event on its way to one endpoint. */
  id: string
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  eventId: string
  eventType: EventType
  status: 'pending' | 'sending' | 'retrying' | 'held' | 'succeeded' | 'failed' | 'blocked' | 'discarded'
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  nextAttemptAt: string | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** Id of a webhook endpoint. */
  endpointId: string
  installation: {
    /** Id of an installation. */
    id: string
    name: string
  }
  /** The delivery that this one replays. */
  replayOf: string | null
  finishedAt: string | null
}

export interface AdminWebhookDeliveryListResponse {
  /** Newest first. */
  data: AdminWebhookDelivery[]
  meta: ListMeta
}

export interface AdminWebhookDeliveryResponse {
  data: {
    delivery: AdminWebhookDelivery
    /** The body of the call. null: no longer stored. */
    payload: string | null
  }
}

export interface AdminWebhookEndpoint {
  /** Id of a webhook endpoint. */
  id: string
  installation: {
    /** Id of an installation. */
    id: string
    name: string
  }
  /** The key that it ends with: the one that made it or last changed its address, or its successor. null: only its installation ends it. */
  key: {
    /** Id of an API key. Not the key itself. */
    id: string
    name: string
  } | null
  /** Credentials in the address are masked. */
  url: string
  description: string
  status: 'enabled' | 'disabled' | 'paused'
  disabledReason: 'gone' | 'failing' | 'operator' | null
  events: string[]
  /** The last characters of the secret, to tell secrets apart. */
  secretHint: string
  secretRotation: {
    active: boolean
    /** Until then calls are signed with the former secret too. */
    previousExpiresAt: string | null
  }
  health: {
    lastSuccessAt: string | null
    lastFailureAt: string | null
    consecutiveFailures: number
    pending: number
  }
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface AdminWebhookEndpointCreateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Id of an installation. */
  installationId: string
  /** https, and not of a private network. */
  url: string
  /** Names of events, subject.* or *. */
  events?: string[] | undefined
  description?: string | undefined
  /** paused: events wait, and are sent once it is enabled. */
  status?: 'enabled' | 'paused' | undefined
}

export interface AdminWebhookEndpointListResponse {
  /** Oldest first. */
  data: AdminWebhookEndpoint[]
  meta: ListMeta
}

export interface AdminWebhookEndpointRemovedResponse {
  data: {
    /** Id of a webhook endpoint. */
    id: string
    removed: true
  }
}

export interface AdminWebhookEndpointResponse {
  data: AdminWebhookEndpoint
}

export interface AdminWebhookEndpointUpdateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** https, and not of a private network. */
  url?: string | undefined
  /** Names of events, subject.* or *. */
  events?: string[] | undefined
  description?: string | undefined
  /** paused: events wait, and are sent once it is enabled. */
  status?: 'enabled' | 'paused' | undefined
}

export interface AdminWebhookReplayRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  deliveryIds?: string[] | undefined
  /** Instead of deliveryIds: the oldest failed deliveries of this endpoint that were not replayed yet, at most 200 at a time. */
  endpointId?: string | undefined
  /** With endpointId: only those made then or later. */
  since?: string | undefined
  /** Replay deliveries that succeeded too. */
  allowSucceeded?: boolean | undefined
  /** For your records. */
  reason?: string | undefined
}

export interface AdminWebhookReplayResponse {
  data: ({
    /** Id of a webhook delivery: one event on its way to one endpoint. */
    deliveryId: string
    outcome: 'done' | 'refused'
    /** Why it was refused. */
    code: string | null
    /** The new delivery. */
    replayId: string | null
  })[]
}

export interface AdminWebhookSecretResponse {
  data: {
    endpoint: AdminWebhookEndpoint
    /** Signs the calls. Shown this once. */
    secret: string
  }
}

export interface AdminWebhookTestResponse {
  data: AdminWebhookDelivery
}

export interface AdminWithdrawal {
  /** Id of a withdrawal. */
  id: string
  mode: Mode
  status: 'received' | 'settled'
  /** null until it is settled. */
  outcome: 'accepted' | 'declined' | 'unknown' | null
  /** null where the shop has no order of this number. */
  order: WithdrawnOrder | null
  /** The return that it opened: by itself, if it was sent with the e-mail address of the order, or by openAdminWithdrawalReturn. */
  returnId: string | null
  /** RFC 3339, UTC, with milliseconds. */
  receivedAt: string
  /** The money has to be back by then: 14 days after it was received. */
  refundDueAt: string
  settledAt: string | null
  /** Starts at 1 and grows by one at each change. */
  version: number
}

export interface AdminWithdrawalListResponse {
  /** Newest first. */
  data: AdminWithdrawal[]
  meta: ListMeta
}

export interface AdminWithdrawalResponse {
  data: AdminWithdrawal
}

export interface AdminWithdrawalReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface AdminWithdrawalSettlementRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** accepted: the goods come back, or the money went back. declined: there is no right of withdrawal. unknown: it names no order of the shop. */
  outcome: 'accepted' | 'declined' | 'unknown'
}

/** As the shopper typed it. */
export interface AdminWithdrawalStatement {
  name: string
  order: string
  email: string
  /** What is meant of the order. Empty: all of it. */
  items: string
}

export interface AdminWithdrawalStatementResponse {
  /** null once the shopper is erased. */
  data: AdminWithdrawalStatement | null
}

export interface ApproveAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** How to send the items. The shopper reads it on the page of the order and by e-mail. */
  instructions?: string | undefined
  /** Where the shopper finds the label for the parcel. */
  labelUrl?: string | null | undefined
}

export interface BulkOutcome {
  /** Of the thing that the item names. */
  id: string
  /** unchanged: it was so before. refused: by code, and nothing of it was done. */
  outcome: 'done' | 'unchanged' | 'refused'
  /** Why it was refused. */
  code: string | null
  message: string | null
  /** What changed; with dryRun, what would. */
  changes: AdminSubjectChange[]
}

export interface BulkResponse {
  /** In the order of the items. */
  data: BulkOutcome[]
  meta: {
    done: number
    unchanged: number
    refused: number
    dryRun: boolean
  }
}

export interface CancelDraftRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface CategoryEntry {
  slug: string
  name: string
  /** Plain text. */
  description?: string | undefined
  /** The slug of the category above it, in this file; at most 8 levels. */
  parent?: string | null | undefined
  /** Lower ones come first among those below one parent (default: 0). */
  position?: number | undefined
  image?: string | null | undefined
}

export interface CloseAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface ConnectAdminPaymentAccountRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Name of the payment provider: stripe or mollie. */
  provider: string
  /** The keys by their names. Stripe: `publishableKey` and `secretKey` (a restricted key is enough). Mollie: `key`. They are sealed, and no answer holds them. */
  keys: Record<string, string>
}

export interface CreateAdminAgentPlatformRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The address of its UCP profile. Of one that buys by ACP: an address that names it. */
  profileUrl: string
  /** seen: it called, or was entered. approved: it may pay where only approved ones may. blocked: it gets no answer. */
  status?: 'seen' | 'approved' | 'blocked' | undefined
}

export interface CreateAdminCategoryRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  category: CategoryEntry
}

export interface CreateAdminMakerRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  maker: MakerEntry
}

export interface CreateAdminPageRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The path of the page in the shop: about for /about. */
  slug: string
  title: string
  /** HTML: headings, lists, tables, bold, links. Anything else, such as styles, pictures and scripts, is removed. */
  bodyHtml: string
  /** What search engines show below the title. */
  description?: string | undefined
  /** Which menu of the shop links to it (default: none). */
  menu?: 'head' | 'foot' | 'none' | undefined
  /** Lower ones come first in the menu (default: 0). */
  position?: number | undefined
  /** false hides it (default: true). */
  published?: boolean | undefined
}

export interface CreateAdminProductRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  product: ProductEntry
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface CreateAdminPromotionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  promotion: PromotionEntry
}

export interface CreateAdminRedirectRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** An old path of the shop, such as /products/old-name. Case, doubled slashes and one at the end do not matter. */
  from: string
  /** A path of the same shop, with a query or without one. null: what was there is gone, and is answered with 410. */
  to: string | null
}

export interface CreateAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version of the order. */
  expectedVersion?: number | undefined
  /** What is to come back: units that were sent and were not refunded or returned before. */
  items: ItemQuantity[]
  reason: 'changed_mind' | 'does_not_fit' | 'damaged' | 'wrong_item' | 'not_as_described' | 'late' | 'other'
  /** Without it a refund. */
  wish?: 'refund' | 'exchange' | undefined
  /** How to send the items. The shopper reads it on the page of the order and by e-mail. */
  instructions?: string | undefined
  /** Where the shopper finds the label for the parcel. */
  labelUrl?: string | null | undefined
}

export interface CreateDraftRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  items: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    quantity: number
    /** In place of the price of the catalog. 0 is a gift. */
    unitPrice?: number | undefined
  })[]
  /** Taken off the items, and no more than they cost. */
  discount?: number | undefined
  /** Delivery by hand. null: what the shop offers for the address. */
  shipping?: {
    label: string
    amount: number
  } | null | undefined
  customer?: {
    /** ASCII before the @; the domain may be an international one. */
    email?: string | undefined
    name?: string | undefined
    phone?: string | undefined
    /** VAT number of a firm in the EU, such as ATU12345678. It is checked in VIES after the answer. */
    vatId?: string | undefined
  } | undefined
  /** Without it, the shopper types it. */
  address?: Address | undefined
  note?: string | undefined
  /** Of the page and the e-mail for the shopper. */
  locale?: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar' | undefined
  /** How long the link can be paid (default: 7). */
  days?: number | undefined
  /** Which installation sells it (default: the oldest that is active). */
  installationId?: string | undefined
  /** What the caller was shown. Another total is refused with 409 total_changed. */
  expectedTotal?: number | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface CreateDraftResponse {
  data: {
    items: DraftItem[]
    totals: Totals
    /** null where nothing is sent, and while there is no address. */
    shipping: {
      label: string
      /** In minor units of the currency that the resource names. */
      amount: number
    } | null
    /** null with dryRun. */
    draft: Draft | null
  }
}

export interface Customer {
  /** Enough to recognise, not enough to write to: a***@example.com. */
  emailMasked: string | null
}

export interface CustomerAddress {
  address: Address
  /** As lines to print, in the order of its country. */
  label: string[]
  /** When the newest order went there. */
  lastOrderAt: string
}

export interface CustomerConsent {
  /** digital_content: digital content is supplied before the time to withdraw is over, and the right to withdraw ends with it. */
  kind: 'digital_content'
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** Of the text that was agreed to. */
  textVersion: string
  language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar'
  /** Id of an order. */
  orderId: string
  orderNumber: string
}

export interface CustomerData {
  shop: string
  email: string | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** Addresses that the person saved in the account. */
  addressBook: ({
    address: Address
    isDefault: boolean
    /** RFC 3339, UTC, with milliseconds. */
    savedAt: string
  })[]
  /** Passkeys with which the person signs in to the account. */
  passkeys: ({
    /** RFC 3339, UTC, with milliseconds. */
    createdAt: string
    usedAt: string | null
  })[]
  /** Newest first. */
  orders: CustomerDataOrder[]
}

export interface CustomerDataOrder {
  /** Id of an order. */
  id: string
  /** The number people use, such as 1001. That of a test order begins with T-. */
  number: string
  mode: Mode
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** Sum of the quantities. */
  itemCount: number
  /** Id of a hosted checkout session. */
  checkoutSessionId: string
  /** Id of a cart. */
  cartId: string
  clientReferenceId: string | null
  customer: {
    email: string
    name: string
    phone: string
  } | null
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  items: OrderItem[]
  totals: OrderTotals
  promotion: OrderPromotion | null
  shippingAddress: OrderShippingAddress | null
  /** null where nothing is sent. */
  shipping: OrderShipping | null
  payments: Payment[]
  /** While the money is awaited: the order is cancelled if it has not come by then. null without a payment term. */
  paymentDueAt: string | null
  refunds: OrderRefund[]
  fulfillments: Fulfillment[]
  cancellation: OrderCancellation | null
  /** Oldest first. */
  timeline: TimelineEntry[]
  /** What the shopper agreed to at the checkout. */
  consents?: OrderConsent[] | undefined
  /** Whether a cancellation would be accepted now. */
  cancellable: boolean
  /** Your own names and values. Kept and given back as they are. */
  metadata: Record<string, string>
  address: Address | null
  returns: Return[]
}

export interface CustomerDataResponse {
  data: CustomerData
}

export interface CustomerDetails {
  name: string | null
  email: string | null
  phone: string | null
  /** Those of the newest orders, each once. */
  addresses: CustomerAddress[]
}

export interface CustomerDetailsResponse {
  data: CustomerDetails
}

export interface CustomerErasureRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface CustomerErasureResponse {
  data: {
    /** Orders from which the person is erased. */
    orders: number
    /** Orders that are still to be sent, and keep who they are for. Erase the customer again afterwards. */
    kept: ({
      /** Id of an order. */
      id: string
      number: string
    })[]
  }
}

export interface CustomerListResponse {
  /** Those who ordered last come first. */
  data: CustomerSummary[]
  meta: ListMeta
}

/** What the people of the shop wrote for themselves. */
export interface CustomerNote {
  /** Id of a note. */
  id: string
  text: string
  actor: AdminActor
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface CustomerNoteRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  text: string
}

export interface CustomerNoteResponse {
  data: CustomerNote
}

export interface CustomerRecord {
  /** Id of a customer. */
  id: string
  /** Of the newest order, as `a…@example.com`. */
  emailMasked: string | null
  /** Of the newest order. */
  city: string | null
  /** Of the newest order. */
  country: string | null
  /** ISO 4217 code. */
  currency: string
  orderCount: number
  /** What was paid for orders in this currency, without what went back or is on its way. */
  spent: number
  /** RFC 3339, UTC, with milliseconds. */
  firstOrderAt: string
  /** RFC 3339, UTC, with milliseconds. */
  lastOrderAt: string
  /** The person is about to be erased since then. */
  eraseAskedAt: string | null
  /** What the person agreed to at the checkout, of the newest orders first. */
  consents: CustomerConsent[]
  /** Oldest first. */
  notes: CustomerNote[]
  /** Who did what, newest first. */
  changes: AdminChange[]
}

export interface CustomerResponse {
  data: CustomerRecord
}

export interface CustomerSummary {
  /** Id of a customer. */
  id: string
  /** Of the newest order, as `a…@example.com`. */
  emailMasked: string | null
  /** Of the newest order. */
  city: string | null
  /** Of the newest order. */
  country: string | null
  /** ISO 4217 code. */
  currency: string
  orderCount: number
  /** What was paid for orders in this currency, without what went back or is on its way. */
  spent: number
  /** RFC 3339, UTC, with milliseconds. */
  firstOrderAt: string
  /** RFC 3339, UTC, with milliseconds. */
  lastOrderAt: string
  /** The person is about to be erased since then. */
  eraseAskedAt: string | null
}

export interface Draft {
  /** Id of a draft. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  mode: Mode
  /** open: the link can be paid. paying: a payment is under way. paid: there is an order. */
  status: 'open' | 'paying' | 'paid' | 'cancelled' | 'expired'
  emailMasked: string | null
  /** ISO 4217 code. */
  currency: string
  /** With tax, when it was last priced. Of an open draft without an address, an estimate. */
  total: number
  /** null until it is paid. */
  order: {
    /** Id of an order. */
    id: string
    number: string
  } | null
  /** The order that is changed when the draft is paid (`editAdminOrder` with payByLink): no order is made then, and the total is the difference. */
  ofOrder: {
    /** Id of an order. */
    id: string
    number: string
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** Until then the link can be paid, and the stock is held. */
  expiresAt: string
  items: DraftItem[]
  totals: Totals
  /** null where nothing is sent, and while there is no address. */
  shipping: {
    label: string
    /** In minor units of the currency that the resource names. */
    amount: number
  } | null
  /** What was set by hand. shipping is null where the shop offers it for the address. */
  terms: {
    /** In minor units of the currency that the resource names. */
    discount: number
    shipping: {
      label: string
      /** In minor units of the currency that the resource names. */
      amount: number
    } | null
  }
  /** For the people of the shop. */
  note: string | null
  /** Language of the page. auto follows the browser. */
  locale: string
  /** When the link was last sent to the shopper by e-mail. */
  emailedAt: string | null
  /** The link for the shopper. Who has it can see the page and pay. null when the draft is no longer open. */
  url: string | null
  /** Who did what, newest first. */
  changes: AdminChange[]
}

export interface DraftItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  name: string
  options: OptionValue[]
  quantity: number
  /** In minor units of the currency that the resource names. */
  unitPrice: number
  /** With its part of the discount, and with tax. */
  total: number
}

export interface DraftListResponse {
  /** Newest first. */
  data: DraftSummary[]
  meta: ListMeta
}

export interface DraftResponse {
  data: Draft
}

export interface DraftSummary {
  /** Id of a draft. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  mode: Mode
  /** open: the link can be paid. paying: a payment is under way. paid: there is an order. */
  status: 'open' | 'paying' | 'paid' | 'cancelled' | 'expired'
  emailMasked: string | null
  /** ISO 4217 code. */
  currency: string
  /** With tax, when it was last priced. Of an open draft without an address, an estimate. */
  total: number
  /** null until it is paid. */
  order: {
    /** Id of an order. */
    id: string
    number: string
  } | null
  /** The order that is changed when the draft is paid (`editAdminOrder` with payByLink): no order is made then, and the total is the difference. */
  ofOrder: {
    /** Id of an order. */
    id: string
    number: string
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** Until then the link can be paid, and the stock is held. */
  expiresAt: string
}

export interface EndAdminPaymentAccountRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export type EventType = 'cart.created' | 'cart.updated' | 'cart.converted' | 'cart.expired' | 'checkout_session.created' | 'checkout_session.completed' | 'checkout_session.payment_failed' | 'checkout_session.cancelled' | 'checkout_session.expired' | 'order.placed' | 'order.paid' | 'order.processing' | 'order.fulfilled' | 'order.completed' | 'order.cancelled' | 'order.refunded' | 'order.refund_failed' | 'order.returned' | 'draft.created' | 'draft.updated' | 'draft.completed' | 'draft.cancelled' | 'draft.expired' | 'order.edited' | 'document.issued' | 'return.requested' | 'return.approved' | 'return.refused' | 'return.received' | 'return.exchanged' | 'return.closed' | 'withdrawal.received' | 'inventory.low' | 'inventory.depleted' | 'inventory.replenished' | 'promotion.exhausted' | 'app.installed' | 'app.uninstalled' | 'product.created' | 'product.updated' | 'product.unpublished' | 'promotion.created' | 'promotion.updated' | 'shop.updated' | 'webhook.endpoint_disabled' | 'webhook.delivery_failed' | 'webhook.ping' | 'webhook.fixture'

export interface ExchangeAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** What the shopper gets, each SKU once. */
  newItems: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    quantity: number
    /** In place of the price of the catalog. */
    unitPrice?: number | undefined
  })[]
  /** Units that are exchanged. Without it, all that came; before anything came, all that is to come. */
  items?: ItemQuantity[] | undefined
  /** What is kept, for goods that came back used. */
  deduction?: number | undefined
  /** What the caller was shown. Another credit is refused with 409 version_conflict. */
  expectedCredit?: number | undefined
  /** What the caller was shown. Another total is refused with 409 total_changed. */
  expectedTotal?: number | undefined
  /** The shopper pays by the link of a draft what the new items cost more. The new order is placed then; until then its stock is held. */
  payByLink?: boolean | undefined
  /** How long the link can be paid (default: 7). */
  linkDays?: number | undefined
  /** true: the return is closed too, with the exchange. */
  close?: boolean | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface ExchangeAdminReturnResponse {
  data: {
    /** What was paid for the items, and counts for the new order. */
    credit: number
    items: RefundedItem[]
    /** What is kept of the price of the items. */
    deduction: number
    /** What does not count because it went back before, by amount. */
    capped: number
    newItems: DraftItem[]
    /** Of the new order. Its delivery is free. */
    totals: Totals
    /** What of the credit goes back, because the new order costs less. */
    moneyBack: number
    /** What the shopper pays, because the new order costs more. */
    difference: number
    /** The new order. null with dryRun, and where it is placed when a link is paid. */
    order: {
      /** Id of an order. */
      id: string
      number: string
    } | null
    /** The draft whose link pays the difference. null with dryRun, and where the order was placed at once. */
    draftId: string | null
    /** Of the new order. null with dryRun, and where nothing goes back. */
    refund: OrderRefund | null
    return: AdminReturn
  }
}

export interface FoundOrder {
  /** Id of an order. */
  id: string
  number: string
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** As `a…@example.com`. */
  emailMasked: string | null
  city: string | null
  country: string | null
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
}

export interface FoundProduct {
  /** Id of a product. */
  id: string
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
}

export interface FoundPromotion {
  /** Id of a promotion. */
  id: string
  code: string
  name: string
}

export interface FoundSku {
  /** Id of a SKU: one variant of a product that can be bought. */
  id: string
  code: string
  /** Id of a product. */
  productId: string
  productName: string
}

export interface Fulfillment {
  carrier: string | null
  trackingNumber: string | null
  /** Where the parcel can be followed: the link of the merchant, or that of a known carrier. null: none is known. */
  trackingUrl: string | null
  items: ItemQuantity[]
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface InvoicesEntry {
  /** How invoices are numbered (default: `{year}-{number:6}`). With the year, each year begins with 1. */
  numberFormat?: string | undefined
  /** The same for credit notes (default: `C{year}-{number:6}`). */
  creditNumberFormat?: string | undefined
  /** Whether no tax is charged because the business is small. Invoices say so. */
  smallBusiness?: boolean | undefined
}

export interface ItemQuantity {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  quantity: number
}

export interface LegalEntry {
  /** Of the company or the person. */
  name: string
  /** Lines of the postal address. */
  address?: string[] | undefined
  /** Number for value added tax. */
  vatId?: string | undefined
  /** Such as court and number of the register. */
  registration?: string | undefined
  /** Number at the tax office, where there is no `vatId`. */
  taxNumber?: string | undefined
  /** Street and number. E-invoices have the address in parts. */
  street?: string | undefined
  /** Of the address. */
  postalCode?: string | undefined
  /** Of the address. */
  city?: string | undefined
  /** For questions about invoices. */
  phone?: string | undefined
}

export interface ListMeta {
  /** Rows in this answer. */
  count: number
  /** Link to the next rows, relative to the server. Follow it as it is. */
  next: string | null
}

export interface MakerEntry {
  /** A word of your choice; its name in every later file. */
  slug: string
  /** Name, registered trade name or trade mark. */
  name: string
  /** Lines of the postal address. */
  address: string[]
  /** Where it is established, by ISO 3166-1. */
  country: string
  /** An e-mail address, or a page that begins with https. */
  contact: string
  /** The person in the EU who is responsible for its products. A maker outside of the EU needs one for products that are sold there. */
  responsible?: {
    /** Name, registered trade name or trade mark. */
    name: string
    /** Lines of the postal address. */
    address: string[]
    /** Where it is established, by ISO 3166-1. */
    country: string
    /** An e-mail address, or a page that begins with https. */
    contact: string
  } | null | undefined
}

/** In test mode no money moves, and no stock, promotion use or order number of live mode. */
export type Mode = 'test' | 'live'

export interface OpenChange {
  /** Id of a draft. */
  draftId: string
  /** The difference that the shopper is asked for. */
  total: number
  /** RFC 3339, UTC, with milliseconds. */
  expiresAt: string
}

export interface OptionValue {
  name: string
  value: string
}

export interface OrderCancellation {
  /** Id of an order cancellation. */
  id: string
  /** Id of an order. */
  orderId: string
  /** refund_pending: money is on its way back. refund_failed: money is owed that could not be paid back; the merchant must see to it. */
  status: 'completed' | 'refund_pending' | 'refund_failed'
  reason: 'customer_request' | 'out_of_stock' | 'fraud_suspected' | 'duplicate' | 'other' | null
  note: string | null
  /** What went back into stock. */
  restocked: ItemQuantity[]
  /** null where nothing had been paid. */
  refund: Refund | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface OrderConsent {
  /** digital_content: digital content is supplied before the time to withdraw is over, and the right to withdraw ends with it. */
  kind: 'digital_content'
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** Of the text that was agreed to. */
  textVersion: string
  language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar'
}

/** The installation that sold it. */
export interface OrderInstallation {
  /** Id of an installation. */
  id: string
  name: string
}

export interface OrderItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  /** A name for addresses, unique within its merchant. */
  productSlug: string
  name: string
  options: OptionValue[]
  quantity: number
  /** Units sent so far. */
  fulfilled: number
  /** In minor units of the currency that the resource names. */
  unitPrice: number
  measure?: {
    amount: number
    unit: 'mg' | 'g' | 'kg' | 'ml' | 'cl' | 'l' | 'm3' | 'mm' | 'cm' | 'm' | 'cm2' | 'm2' | 'piece'
    /** What `price` is for. */
    per: 'kg' | '100g' | 'l' | '100ml' | 'm3' | 'm' | 'm2' | 'piece'
    /** In minor units of the currency that the resource names. */
    price: number
  } | null | undefined
  /** Why the shopper cannot withdraw from the contract about it. null: they can. */
  withdrawalExempt?: 'made_to_measure' | 'perishable' | 'sealed_hygiene' | 'sealed_media' | 'mixed_with_others' | 'periodical' | 'price_fluctuates' | 'dated_service' | 'digital_content' | null | undefined
  /** In minor units of the currency that the resource names. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
}

export interface OrderPromotion {
  code: string
  name: string
  type: 'percentage' | 'fixed_amount' | 'free_shipping'
  /** In minor units of the currency that the resource names. */
  amount: number
}

export interface OrderRefund {
  /** Id of a refund. */
  id: string
  /** In minor units of the currency that the resource names. */
  amount: number
  /** ISO 4217 code. */
  currency: string
  status: 'pending' | 'succeeded' | 'failed'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface OrderShipping {
  optionId: string
  label: string
  /** In minor units of the currency that the resource names. */
  amount: number
}

/** The address itself is shown to the merchant only. */
export interface OrderShippingAddress {
  /** Stands for a sealed address. It is valid for its cart only, until it is replaced or expires. */
  token: string
  /** City and country. */
  summary: string
}

export interface OrderTotals {
  /** Lines before discount. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** Before discount; what a promotion takes off it is part of the discount. */
  shipping: number
  /** Sum of the tax of the lines and of the shipping. */
  tax: number
  /** Whether the prices contain the tax. */
  taxIncluded: boolean
  /** subtotal − discount + shipping, plus tax where prices do not contain it. */
  total: number
  /** Why no tax is charged; left out where it is. */
  taxReason?: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | undefined
  /** Money that went back. */
  refunded: number
  /** Money on its way back. What fails on the way leaves it again. */
  refundPending: number
}

export interface PageEntry {
  /** The path of the page in the shop: about for /about. */
  slug: string
  title: string
  /** HTML: headings, lists, tables, bold, links. Anything else, such as styles, pictures and scripts, is removed. */
  bodyHtml: string
  /** What search engines show below the title. */
  description?: string | undefined
  /** Which menu of the shop links to it (default: none). */
  menu?: 'head' | 'foot' | 'none' | undefined
  /** Lower ones come first in the menu (default: 0). */
  position?: number | undefined
  /** false hides it (default: true). */
  published?: boolean | undefined
}

export interface Payment {
  /** Id of a payment. */
  id: string
  provider: string
  /** Such as card or bank_transfer. */
  method: string
  brand: string | null
  last4: string | null
  /** In minor units of the currency that the resource names. */
  amount: number
  status: 'processing' | 'pending' | 'succeeded' | 'declined' | 'voided'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface ProductEntry {
  /** Its name in addresses, unique within the shop, and in every later file. */
  slug: string
  name: string
  /** Who makes it. Shoppers find it by its brand and can narrow lists to it. */
  brand?: string | null | undefined
  /** The slug of the maker, who is named to shoppers with addresses. */
  maker?: string | null | undefined
  /** Warnings and safety information. */
  warnings?: ({
    /** Of the text (default: any). */
    language?: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar' | null | undefined
    text: string
  })[] | undefined
  /** Why shoppers cannot withdraw from the contract about it. Sealed goods can be sent back while they are sealed. */
  withdrawalExempt?: 'made_to_measure' | 'perishable' | 'sealed_hygiene' | 'sealed_media' | 'mixed_with_others' | 'periodical' | 'price_fluctuates' | 'dated_service' | null | undefined
  /** Supplied at once: the checkout asks for the consent that ends the right of withdrawal (default: false). */
  digital?: boolean | undefined
  /** The producer's guarantee of durability for the whole product, free of charge, for more than two years. */
  guarantee?: {
    years: number
    /** The conditions, on a page that begins with https. */
    url?: string | null | undefined
  } | null | undefined
  /** One or two sentences for lists. */
  summary?: string | undefined
  /** The title that search engines show (default: the name). They cut it after about 60 characters. */
  seoTitle?: string | null | undefined
  /** The text below it (default: the summary, or the beginning of the description). They cut it after about 160 characters. */
  seoDescription?: string | null | undefined
  /** Plain text; paragraphs are separated by an empty line. Without it: the text of `descriptionHtml`. */
  description?: string | undefined
  /** The same with formatting: headings, lists, tables, bold, links. Anything else, such as styles, pictures and scripts, is removed. Without it the product has only its plain text. */
  descriptionHtml?: string | null | undefined
  /** Slugs of categories in this file. */
  categories?: string[] | undefined
  /** Words of your choice. */
  tags?: string[] | undefined
  /** The first one stands for the product. */
  images?: ({
    url: string
    /** What is to be seen, for those who cannot see it. */
    alt?: string | undefined
    /** In pixels. */
    width?: number | null | undefined
    /** In pixels. */
    height?: number | null | undefined
  })[] | undefined
  /** What the shopper chooses by, such as a size. Each SKU then names a value for each option. */
  options?: ({
    name: string
    /** In the order in which they are shown. */
    values: string[]
  })[] | undefined
  /** false takes it out of the catalog (default: true). */
  published?: boolean | undefined
  /** Lists show the newest first. Not in the future (default: when it was first applied). */
  publishedAt?: string | undefined
  /** Texts for your own programs; only API keys can read them. */
  metadata?: Record<string, string> | undefined
  /** What is sold, at least one. */
  skus: SkuEntry[]
}

/** published: in the catalog. hidden: not in the catalog. archived: no longer sold; lists leave it out. */
export type ProductStatus = 'published' | 'hidden' | 'archived'

export interface PromotionEntry {
  /** What shoppers type, in any case. */
  code: string
  name: string
  type: 'percentage' | 'fixed_amount' | 'free_shipping'
  /** Basis points: 1000 is 10 %. For the type `percentage`. */
  percentage?: number | undefined
  /** In minor units. For the type `fixed_amount`. */
  amount?: number | undefined
  /** Of its amounts (default: the merchant's). */
  currency?: string | null | undefined
  /** The code waits until the cart is worth this much. */
  minimumSubtotal?: number | null | undefined
  /** Valid from this instant on, in UTC: 2026-12-01T00:00:00Z. */
  startsAt?: string | null | undefined
  /** Valid until before this instant. */
  endsAt?: string | null | undefined
  /** Uses by everyone together; with 0 the code is known and used up. */
  usageLimit?: number | null | undefined
  /** Uses by one customer, who is known by their e-mail. */
  customerLimit?: number | null | undefined
  /** Only for products of these categories and those below them. With `skus`: for either. */
  categories?: string[] | undefined
  /** Only for these SKU codes. */
  skus?: string[] | undefined
  /** Left out, it stays as the operator has it. */
  disabled?: boolean | undefined
}

/** Whether a shopper could use it now, apart from what is in the cart. */
export type PromotionStatus = 'disabled' | 'expired' | 'scheduled' | 'exhausted' | 'active'

export interface ReceiveAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** What came. Without it, everything that has not come yet, and all of it goes back into stock. */
  items?: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    quantity: number
    /** Whether these units go back into stock. Without it they do. */
    restock?: boolean | undefined
  })[] | undefined
}

export interface Refund {
  /** Id of a refund. */
  id: string
  /** In minor units of the currency that the resource names. */
  amount: number
  /** ISO 4217 code. */
  currency: string
  status: 'pending' | 'succeeded' | 'failed'
}

export interface RefundAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** What the caller was shown, in minor units. Another amount is refused with 409 version_conflict. */
  expectedAmount?: number | undefined
  /** Units that are refunded. Without it, all that came; before anything came, all that is to come. */
  items?: ItemQuantity[] | undefined
  /** Whether the delivery costs go back too. Without it they do when nothing of the order is left. Unless the items were at fault, no more goes back than the cheapest delivery that was offered. */
  shipping?: boolean | undefined
  /** What is kept, for goods that came back used. */
  deduction?: number | undefined
  reason?: string | undefined
  /** true: the return is closed too. */
  close?: boolean | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface RefundAdminReturnResponse {
  data: {
    /** What goes back; with dryRun, what would. */
    amount: number
    items: RefundedItem[]
    /** The part that is for the delivery. */
    shipping: number
    /** What is kept of the price of the items. */
    deduction: number
    /** What does not go back because it went back before, by amount. */
    capped: number
    /** null with dryRun. */
    refund: OrderRefund | null
    return: AdminReturn
  }
}

export interface RefundedItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  quantity: number
  /** What goes back for these units, tax included. */
  amount: number
  /** The tax in the amount, at the rate of the order. */
  tax: number
}

export interface RefuseAdminReturnRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** Why. The shopper reads it on the page of the order and by e-mail. */
  text: string
}

export interface RemoveAdminCategoryRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
}

export interface RemoveAdminCategoryResponse {
  data: {
    /** Id of a category. */
    id: string
    removed: true
  }
}

export interface RemoveAdminMakerRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
}

export interface RemoveAdminPageRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
}

export interface RemoveAdminRedirectRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that is removed. */
  expectedVersion: number
}

export interface ReplaceAdminCategoryRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  /** The slug cannot change. */
  category: CategoryEntry
}

export interface ReplaceAdminMakerRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  /** The slug cannot change. */
  maker: MakerEntry
}

export interface ReplaceAdminPageRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  title: string
  /** HTML: headings, lists, tables, bold, links. Anything else, such as styles, pictures and scripts, is removed. */
  bodyHtml: string
  /** What search engines show below the title. */
  description?: string | undefined
  /** Which menu of the shop links to it (default: none). */
  menu?: 'head' | 'foot' | 'none' | undefined
  /** Lower ones come first in the menu (default: 0). */
  position?: number | undefined
  /** false hides it (default: true). */
  published?: boolean | undefined
}

export interface ReplaceAdminPaymentKeysRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The keys by their names. Stripe: `publishableKey` and `secretKey` (a restricted key is enough). Mollie: `key`. They are sealed, and no answer holds them. */
  keys: Record<string, string>
}

export interface ReplaceAdminProductRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  /** The whole product. SKUs are known by their code; one that is missing is retired. `stock` counts for new SKUs only. */
  product: ProductEntry
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface ReplaceAdminPromotionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  /** The code cannot change. */
  promotion: PromotionEntry
}

export interface ReplaceAdminRedirectRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  /** A path of the same shop, with a query or without one. null: what was there is gone, and is answered with 410. */
  to: string | null
}

export interface ReplaceAdminShippingRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  shipping: ShippingZoneEntry[]
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface ReplaceAdminSiteRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  look: SiteLook
  /** Its sections, from top to bottom. null: a product, the categories, and all products. */
  home: SiteSection[] | null
  menus: SiteMenus
}

export interface ReplaceAdminTaxesRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  taxes: TaxEntry[]
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface Return {
  /** Id of a return. */
  id: string
  /** The number people use: that of the order, and which return of it this is. */
  number: string
  /** Id of an order. */
  orderId: string
  orderNumber: string
  mode: Mode
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** requested: the merchant has not answered. approved: the items may be sent. received: some or all came. refused, closed: it is over. */
  status: 'requested' | 'approved' | 'received' | 'refused' | 'closed'
  reason: 'changed_mind' | 'does_not_fit' | 'damaged' | 'wrong_item' | 'not_as_described' | 'late' | 'other'
  /** What the shopper would like to have for the items. */
  wish: 'refund' | 'exchange'
  openedBy: 'shopper' | 'merchant'
  items: ReturnItem[]
  /** New orders that were placed for the items, the oldest first. */
  exchanges: ReturnExchange[]
  /** What the merchant wrote to the shopper: how to send the items, or why not. */
  answer: string | null
  /** Where the shopper finds the label for the parcel. */
  labelUrl: string | null
  /** RFC 3339, UTC, with milliseconds. */
  requestedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface ReturnExchange {
  /** The new order. */
  orderId: string
  orderNumber: string
  /** What was paid for the items, and counts for the new order. */
  credit: number
  /** What of it goes back, because the new order costs less. */
  refunded: number
  /** What the shopper paid in addition, because the new order costs more. */
  paid: number
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface ReturnItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  name: string
  options: OptionValue[]
  /** Units that are to come back. */
  quantity: number
  /** Units that came. */
  received: number
  /** Units of these that went back into stock. */
  restocked: number
}

export type Scope = 'webhooks:read' | 'webhooks:write' | 'catalog:read' | 'checkout:quote' | 'admin:read' | 'admin:catalog' | 'admin:orders' | 'admin:refunds' | 'admin:customers' | 'admin:settings' | 'admin:developers' | 'admin:people'

export interface SendDraftRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface ShippingZoneEntry {
  /** A word of your choice. */
  zone: string
  /** `*` stands for every country that no other zone names. */
  countries: (string | '*')[]
  /** What the shopper chooses from; the first is taken until they do. */
  options: ({
    /** A word of your choice. */
    id: string
    /** What the shopper reads. */
    label: string
    /** In minor units. */
    amount: number
    /** Free from this subtotal on, before discount. */
    freeFrom?: number | null | undefined
    /** Heavier parcels cost more: the first step whose limit is not exceeded names the amount. Above the last, the option is not offered. */
    weightSteps?: ({
      upToGrams: number
      amount: number
    })[] | undefined
  })[]
}

export interface ShopEntry {
  /** Its name in addresses and commands, and in every later file. */
  slug: string
  /** What shoppers read. */
  name: string
  /** By ISO 4217. It cannot change once there are prices. */
  currency: string
  /** By ISO 3166-1. */
  country: string
  /** Whether prices are with tax (default: true). */
  pricesIncludeTax?: boolean | undefined
  /** How shipping is taxed where the rates name no class `shipping`. goods: as the goods that are shipped, in proportion to their prices. standard: at the standard rate. Without it, goods in the EU, the United Kingdom, Norway, Switzerland and Liechtenstein, and standard elsewhere. */
  shippingTax?: 'goods' | 'standard' | null | undefined
  /** What lists of orders show to people who may see customers. shown: the name of who ordered. masked: a masked e-mail address, as to everyone else (default: shown). */
  customerNames?: 'shown' | 'masked' | undefined
  /** At or below this many units a SKU says `low_stock` (default: 5). */
  lowStockAt?: number | undefined
  /** Shown to shoppers. */
  supportEmail?: string | null | undefined
  /** Shown instead of the name on the checkout and the order page; draw the name into it. */
  logo?: string | null | undefined
  /** Of buttons on the checkout and the order page, as `#2c4c3e`. Text on it is black or white, whichever can be read. */
  color?: string | null | undefined
  /** Pages of yours, linked below the checkout. */
  links?: {
    terms?: string | undefined
    privacy?: string | undefined
    refunds?: string | undefined
    imprint?: string | undefined
  } | undefined
  /** Groups of words that mean the same in a search, such as `[[sofa, couch], [nightstand, bedside table]]`. */
  synonyms?: (string[])[] | undefined
  /** Who sells, as invoices, receipts and packing slips name it. */
  legal?: LegalEntry | undefined
  /** Numbers of invoices and credit notes. */
  invoices?: InvoicesEntry | undefined
}

export interface SiteColumn {
  title: string
  bodyHtml: string
}

export interface SiteContent {
  look: SiteLook
  /** Its sections, from top to bottom. null: a product, the categories, and all products. */
  home: SiteSection[] | null
  menus: SiteMenus
}

export interface SiteLink {
  /** What it leads to. `all`: all products. */
  kind: 'category' | 'page' | 'product' | 'all' | 'address'
  /** A slug; of `address`: https, http, mailto, tel, or a path of the shop. Empty for `all`. */
  target: string
  /** Empty: the name of the category or page. */
  label: string
}

export interface SiteLook {
  /** In place of the name; draw the name into it. */
  logo: string | null
  /** Of buttons and links, as `#2c4c3e`. Every other colour is derived from it, and text can always be read. */
  color: string | null
  /** A pair of typefaces that devices have: for headings and for text. */
  font: 'system' | 'classic' | 'slab' | 'rounded'
  /** Of buttons, fields and pictures. */
  corners: 'round' | 'soft' | 'square'
  /** How close products stand. */
  density: 'airy' | 'dense'
  /** `auto`: light or dark, as the device of the shopper is. */
  scheme: 'auto' | 'light' | 'dark'
}

export interface SiteMenus {
  /** null: all categories, and the pages whose menu is `head`. */
  head: SiteLink[] | null
  /** null: the pages whose menu is `foot`. Legal pages are always linked. */
  foot: SiteLink[] | null
}

export interface SiteSection {
  /** Members that its kind does not have are dropped. */
  kind: 'hero' | 'products' | 'categories' | 'text' | 'picture' | 'columns' | 'notice'
  /** Of every kind but `notice`. */
  title?: string | undefined
  /** Of `hero`, `text`, `picture` and `notice`: HTML with headings, lists, bold, links. Anything else is removed. */
  bodyHtml?: string | undefined
  /** Of `hero` and `picture`. */
  image?: string | null | undefined
  /** What the picture shows, for those who do not see it. */
  imageAlt?: string | undefined
  /** Of `picture`: where the picture stands (default: start). */
  imageSide?: 'start' | 'end' | undefined
  /** Of `hero`, `picture` and `notice`. */
  link?: SiteLink | null | undefined
  /** Of `products`: which ones (default: newest). */
  source?: 'newest' | 'category' | 'chosen' | undefined
  /** Of `products` from a category. */
  category?: string | undefined
  /** Of `products` that are chosen, in this order. Those that are not for sale are left out. */
  products?: string[] | undefined
  /** Of `products`: how many at most (default: 8). */
  limit?: number | undefined
  /** Of `columns`. */
  columns?: SiteColumn[] | undefined
}

export interface SiteTransitionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
}

export interface SkuEntry {
  /** Your own code, unique within the shop. It is the name of the SKU in every later file. */
  code: string
  /** Without it: the values of its options, or the name of the product. */
  name?: string | undefined
  /** Its value for each option of the product: `{ Size: 250 g }`. */
  options?: Record<string, string> | undefined
  /** In minor units: 450 is 4.50. */
  price: number
  /** A former price that is announced; above the price. The shop shows a reduction only as far as the price was higher in the 30 days before. */
  compareAtPrice?: number | null | undefined
  /** Opening stock: it counts when the SKU is new. On known SKUs it is set by `apply --stock` only (default: 0). */
  stock?: number | undefined
  /** Whether it may be sold when there is none left (default: false). */
  backorder?: boolean | undefined
  /** false for what has no stock, such as a service: it can always be bought (default: true). */
  counted?: boolean | undefined
  /** How many one order may hold (default: 999). */
  maxPerOrder?: number | undefined
  /** false for what is sent by e-mail or downloaded (default: true). */
  requiresShipping?: boolean | undefined
  /** What the weight steps of a shipping option add up. */
  weightGrams?: number | null | undefined
  /** What it contains, for the unit price: `{ amount: 250, unit: g, per: 100g }`. */
  measure?: {
    /** How much is in it. */
    amount: number
    unit: 'mg' | 'g' | 'kg' | 'ml' | 'cl' | 'l' | 'm3' | 'mm' | 'cm' | 'm' | 'cm2' | 'm2' | 'piece'
    /** What the unit price is for; of the same kind as the unit (default: kg, l, m, m2 or piece). */
    per?: 'kg' | '100g' | 'l' | '100ml' | 'm3' | 'm' | 'm2' | 'piece' | undefined
  } | null | undefined
  /** Which of the tax rates applies; a class without a rate pays the standard one (default: standard). */
  taxClass?: string | undefined
  /** A picture of this SKU. */
  image?: string | null | undefined
  /** GTIN, EAN, UPC or ISBN. */
  barcode?: string | null | undefined
}

export interface TaxEntry {
  country: string
  /** A part of the country by ISO 3166-2, such as CA for California. Without it: the whole country. */
  region?: string | undefined
  /** The tax class of the SKUs it is for (default: standard). */
  class?: string | undefined
  /** Basis points: 1900 is 19 %. */
  rate: number
}

export interface TimelineEntry {
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  type: 'placed' | 'paid' | 'processing' | 'partially_fulfilled' | 'fulfilled' | 'completed' | 'cancelled' | 'refund_started' | 'refund_failed' | 'partially_refunded' | 'refunded' | 'voided' | 'edited'
  /** Who cancelled the order; system: the money did not come in time. null for all other types. */
  cancelledBy: 'api' | 'operator' | 'system' | null
}

/** Amounts in the currency of the resource that holds them. */
export interface Totals {
  /** Lines before discount. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** Before discount; what a promotion takes off it is part of the discount. */
  shipping: number
  /** Sum of the tax of the lines and of the shipping. */
  tax: number
  /** Whether the prices contain the tax. */
  taxIncluded: boolean
  /** subtotal − discount + shipping, plus tax where prices do not contain it. */
  total: number
  /** Why no tax is charged; left out where it is. */
  taxReason?: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | undefined
}

export interface UpdateAdminAgentPlatformRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that the change is based on. */
  expectedVersion: number
  /** seen: it called, or was entered. approved: it may pay where only approved ones may. blocked: it gets no answer. */
  status?: 'seen' | 'approved' | 'blocked' | undefined
  /** paused: its calls wait. enabled: they are sent, with those that waited. */
  webhook?: 'enabled' | 'paused' | undefined
}

export interface UpdateAdminAgentsRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that the change is based on. */
  expectedVersion: number
  /** off: agents get no answer. browse: they find products and open checkouts, which buyers pay on the page. buy: they may also pay. */
  level?: 'off' | 'browse' | 'buy' | undefined
  /** Who may pay and read its orders. approved: platforms that were approved, and prove who they are. signed: every platform that proves it. anyone: every platform with a profile, in test mode only. */
  who?: 'approved' | 'signed' | 'anyone' | undefined
  /** From this total on the buyer confirms on the checkout page. null: never. */
  reviewFrom?: number | null | undefined
  /** Whether platforms are called when their orders change. */
  orderWebhooks?: boolean | undefined
}

export interface UpdateAdminPaymentProviderRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  enabled: boolean
  instructions?: string | null | undefined
  termDays?: number | null | undefined
}

export interface UpdateAdminProductsRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  productIds: string[]
  change: {
    status?: 'published' | 'hidden' | 'archived' | undefined
    /** Slug of a category. */
    addCategory?: string | undefined
    /** Slug of a category. */
    removeCategory?: string | undefined
    /** null takes the brand off. */
    brand?: string | null | undefined
    /** Slug of a maker; null takes it off. */
    maker?: string | null | undefined
    addTag?: string | undefined
    removeTag?: string | undefined
    /** Changes every price by so many basis points: 500 raises it by 5 %. Rounded to minor units. */
    pricePercentage?: number | undefined
    /** With pricePercentage: the new price is the nearest one that ends so, such as 46.99, 46.95 or 47.00. Currencies without decimals are rounded to whole. */
    priceEnding?: '99' | '95' | 'whole' | undefined
    /** With pricePercentage, true: SKUs that are not sent, such as gift cards, keep their price. */
    shippedOnly?: boolean | undefined
  }
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface UpdateAdminShopRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion: number
  /** What shoppers read. */
  name?: string | undefined
  /** By ISO 4217. It cannot change once there are prices. */
  currency?: string | undefined
  /** By ISO 3166-1. */
  country?: string | undefined
  /** Whether prices are with tax (default: true). */
  pricesIncludeTax?: boolean | undefined
  /** How shipping is taxed where the rates name no class `shipping`. goods: as the goods that are shipped, in proportion to their prices. standard: at the standard rate. Without it, goods in the EU, the United Kingdom, Norway, Switzerland and Liechtenstein, and standard elsewhere. */
  shippingTax?: 'goods' | 'standard' | null | undefined
  /** What lists of orders show to people who may see customers. shown: the name of who ordered. masked: a masked e-mail address, as to everyone else (default: shown). */
  customerNames?: 'shown' | 'masked' | undefined
  /** At or below this many units a SKU says `low_stock` (default: 5). */
  lowStockAt?: number | undefined
  /** Shown to shoppers. */
  supportEmail?: string | null | undefined
  /** Shown instead of the name on the checkout and the order page; draw the name into it. */
  logo?: string | null | undefined
  /** Of buttons on the checkout and the order page, as `#2c4c3e`. Text on it is black or white, whichever can be read. */
  color?: string | null | undefined
  /** Pages of yours, linked below the checkout. */
  links?: {
    terms?: string | undefined
    privacy?: string | undefined
    refunds?: string | undefined
    imprint?: string | undefined
  } | undefined
  /** Groups of words that mean the same in a search, such as `[[sofa, couch], [nightstand, bedside table]]`. */
  synonyms?: (string[])[] | undefined
  legal?: LegalEntry | null | undefined
  invoices?: InvoicesEntry | undefined
  /** IANA name, such as Europe/Berlin. */
  timeZone?: string | undefined
}

export interface UpdateAdminSkusRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  rows: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    price?: number | undefined
    /** The price that was seen. If it is another now, and not the wanted one, the row is refused. */
    expectedPrice?: number | undefined
    compareAtPrice?: number | null | undefined
    /** The compare-at price that was seen, as expectedPrice. */
    expectedCompareAtPrice?: number | null | undefined
    /** Adds to the stock, or takes from it. Not together with onHand. */
    adjustBy?: number | undefined
    /** Sets the stock, if it still is expectedOnHand. */
    onHand?: number | undefined
    /** The stock that was seen. Needed with onHand. */
    expectedOnHand?: number | undefined
    /** Why the stock changes. */
    reason?: string | undefined
  })[]
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

export interface UpdateDraftRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** All items. One without unitPrice keeps what was agreed, or is new at the price of the catalog. */
  items?: ({
    /** Id of a SKU: one variant of a product that can be bought. */
    skuId: string
    quantity: number
    /** In place of the price of the catalog. 0 is a gift. */
    unitPrice?: number | undefined
  })[] | undefined
  /** Taken off the items, and no more than they cost. */
  discount?: number | undefined
  /** Delivery by hand. null: what the shop offers for the address. */
  shipping?: {
    label: string
    amount: number
  } | null | undefined
  customer?: {
    /** ASCII before the @; the domain may be an international one. */
    email?: string | undefined
    name?: string | undefined
    phone?: string | undefined
    /** VAT number of a firm in the EU, such as ATU12345678. It is checked in VIES after the answer. */
    vatId?: string | undefined
  } | undefined
  address?: Address | undefined
  note?: string | null | undefined
  /** Of the page and the e-mail for the shopper. */
  locale?: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar' | undefined
  /** How long the link can be paid, from now. */
  days?: number | undefined
  /** What the caller was shown. Another total is refused with 409 total_changed. */
  expectedTotal?: number | undefined
  /** true: answer what would change, and write nothing. */
  dryRun?: boolean | undefined
}

/** The order of the shop with the number that the shopper gave. */
export interface WithdrawnOrder {
  /** Id of an order. */
  id: string
  number: string
  /** Whether it was ordered with the e-mail address of the withdrawal. */
  emailMatches: boolean
}
