// The public limits. Schemas, the identity response and the reader of request bodies use them.

export const limits = {
  keyOriginsMax: 20,
  bodyBytesMax: 65_536,
  jsonDepthMax: 16,
  listRowsMax: 100,
  synonymGroupsMax: 200,
  synonymsPerGroupMax: 10,
  // `adminListRowsMax`: maximum number of rows in a list of the admin surface; for some lists only the default. `bulkItemsMax`: maximum
  // number of items in one bulk operation.
  adminListRowsMax: 50,
  bulkItemsMax: 200,
  // Maximum number of SKUs that the products of one request have in total: `bulkSkusMax` for `updateAdminProducts`, and `bulkSkusReadMax`
  // for `updateAdminSkus`, which changes only some of them.
  bulkSkusMax: 2_000,
  bulkSkusReadMax: 10_000,
  // Changed resources that an entry of the list of changes shows.
  changesShownMax: 50,
  pictureBytesMax: 1_048_576,
  // A file is imported in pieces, at most 64 MiB in total.
  transferPieceBytesMax: 262_144,
  transferPiecesMax: 256,
  cartLinesMax: 100,
  quantityMax: 999,
  // Prices and other amounts that a merchant sets, in minor units. The most expensive cart has 100 lines of 999 items at this price,
  // shipping at this price, and a tax of 100 % on top of both: 8,991,090,000,000,000, which is below 2^53, so every total is exact.
  amountMax: 45_000_000_000,
  taxRateBpsMax: 10_000,
  weightGramsMax: 1_000_000_000,
  measureAmountMax: 1_000_000_000,
  metadataKeysMax: 20,
  metadataKeyLengthMax: 40,
  metadataValueLengthMax: 500,
  idempotencyKeyLengthMax: 255,
  slugLengthMax: 120,
  issuesMax: 20,
  issueLengthMax: 500,
  // Maximum lengths of a product's texts, and of its HTML before and after sanitizing.
  brandLengthMax: 200,
  seoTitleLengthMax: 200,
  seoDescriptionLengthMax: 500,
  descriptionLengthMax: 50_000,
  descriptionHtmlLengthMax: 65_536,
  // Maximum number of warnings of a product, in all languages together.
  warningsMax: 20,
  warningLengthMax: 2_000,
  guaranteeYearsMax: 99,
  // RFC 5321, 4.5.3.1.3, without the angle brackets.
  emailLengthMax: 254,
  // Maximum length of the names of people who sign in.
  userNameLengthMax: 80,
  // Payments without a provider: the maximum length of the instructions that shoppers read, and the longest payment term.
  instructionsLengthMax: 2_000,
  termDaysMax: 365,
  // Maximum length of a legal text, and maximum number of its versions in one language.
  textLengthMax: 100_000,
  textVersionsMax: 200,
} as const
