// Every remark on an imported file and its rows: why a row is refused, and which values are imported differently than written. A remark
// has a code and a sentence, as an issue does. Programs and translations use the code and the values; the sentence is for people.

import { type AnyIssueValues, fillSentence, type IssueValue, type ValuesIn } from './issues.ts'

// biome-ignore format: a table reads best with one row a line
export const remarkSentences = {
  // Remarks of earlier releases, which stored whole sentences.
  earlier:                     '{sentence}',

  // Why a file cannot be read to its end.
  file_empty:                  'the file is empty',
  row_too_large:               'the row is larger than {mebibytes} MiB',
  cell_too_large:              'a cell is larger than {mebibytes} MiB',
  too_many_cells:              'the row has more than {max} cells',
  quote_open_too_long:         'the quote that opens here is not closed within {mebibytes} MiB',
  quote_never_closed:          'the quote that opens here is never closed',
  mixed_delimiters:            'the header mixes delimiters',
  unknown_encoding:            'the encoding {encoding} is not supported',
  not_in_encoding:             'the text is not encoded in {encoding}',
  perhaps_utf16:               'the text is not UTF-8, but perhaps UTF-16 without a byte order mark: save the file as "CSV UTF-8"',
  csv_not_utf8:                'the text is not UTF-8: save the file as "CSV UTF-8", or name its encoding, which is often windows-1252',
  feed_not_utf8:               'the text is not UTF-8: name its encoding, which is often windows-1252',
  document_type:               'the file contains a document type declaration (DOCTYPE), which is not supported',
  elements_too_deep:           'elements are nested deeper than {max} levels',
  xml_text_too_long:           'a text is longer than {mebibytes} MiB',
  xml_tag_too_long:            'a tag is longer than {kibibytes} KiB',
  xml_token_too_long:          'a text or tag is longer than {mebibytes} MiB',
  text_outside_root:           'the file has text outside of the root element',
  second_root:                 'a second root element <{element}> follows the first',
  no_element:                  'the file has no element',
  ends_within_tag:             'the file ends within a tag',
  ends_within_element:         'the file ends within the element {element}',
  wrong_end_tag:               'an end tag does not close <{element}>',
  stray_end_tag:               '</{element}> does not close anything',
  bare_ampersand:              'an ampersand is not written as &amp;',
  xml_malformed:               'the XML is not well-formed: {reason}',
  not_a_feed:                  'the root element <{element}> is not that of an RSS or Atom feed',
  wordpress_export:            'this is an export of WordPress, which contains no prices: in WooCommerce, open Products, choose Export, and import that CSV file',
  too_many_elements:           'an item has more than {max} elements, or more than {max} elements are outside of an item',
  feed_too_large:              'the feed has more than {max} items or {mebibytes} MiB: split it',
  too_many_rows:               'the file has more than {max} rows or {mebibytes} MiB: split it',
  reading_broken_off:          'reading the file was interrupted {count} times: split the file, and send the parts',

  // Why a file cannot be imported.
  column_missing:              'the first row does not name the column {names}, so the file is not a product file of Shopify, WooCommerce, Wix or Medusa, or a Google feed',
  columns_unknown:             'the column names are not those of a supported shop system: state what the columns contain',
  columns_assigned_before:     'the columns are assigned as in an earlier file with the same first row',
  stock_columns_missing:       'the first row must name the columns "SKU" and "On hand (new)"',
  stock_file:                  'the file contains stock instead of products: import it as stock',
  woocommerce_language:        'this is a product file of WooCommerce whose column names are in a language that is not supported: in WordPress, set the language of your profile to English, and export the products again',
  currency_column_missing:     'the file has no prices in {currency}: the column "Variant Price {currency}" is missing',

  // Why a row or a product is refused.
  row_too_wide:                'the row has {cells} cells, but the header has {columns}',
  row_empty:                   'the row contains neither a variant nor an image',
  row_without_product:         'the row does not belong to a product of the file',
  parent_missing:              'the parent of the variation is not a product of the file',
  type_not_imported:           'products of the type "{value}" are not imported',
  too_many_attributes:         'the variations of the product differ in more than three attributes',
  no_variations:               'the product has no variations in the file',
  no_variant:                  'the product has no variant',
  too_many_variants:           'the product has more than {max} variants',
  handle_missing:              'the handle is missing',
  handle_repeated:             'the handle is already used on line {otherLine}: the rows of a product must be consecutive',
  title_missing:               'the title is missing',
  option_value_too_long:       'an option value has more than {max} characters',
  option_without_value:        'the option "{option}" has no value',
  same_options:                'the variant has the same options as line {otherLine}',
  variant_repeated:            'the variant is already on line {otherLine}',
  variant_unknown:             'the shop has no such variant',
  sku_missing:                 'the SKU is missing',
  sku_too_long:                'the SKU has more than {max} characters',
  sku_repeated:                'the SKU is already on line {otherLine}',
  sku_unknown:                 'the shop has no SKU with this code',
  sku_of_other_product:        'the SKU code {sku} belongs to another product',
  sku_without_price:           'the SKU "{sku}" does not exist yet and cannot be created, because the file has no prices',
  product_without_price:       'the product does not exist yet and cannot be created, because the file has no prices',
  maker_unknown:               'the maker {maker} does not exist',
  stock_not_a_number:          'the stock "{value}" is not a whole number up to {max}',
  current_stock_not_a_number:  'the current stock "{value}" is not a whole number up to {max}',
  stock_differs:               'the stock has changed and is {count} now',
  category_too_deep:           'the category of the product would be nested too deeply',
  category_below_depth:        'the category of the product would be nested deeper than {max} levels',
  too_many_categories:         'with the category of the product, the shop would have more than {max} categories',
  category_removed:            'the category of the product was removed after the import was planned',
  product_changed:             'the product was changed after the import was planned',
  not_written:                 'the row could not be imported because of a server error',
  not_written_because:         'the row could not be imported: {reason}',

  // Why a product is refused if the file does not list all of its SKUs: the unlisted SKUs stay, and would become invalid.
  too_many_with_unnamed:       'with the SKUs that the file does not list, the product would have more than {max} SKUs',
  unnamed_lacks_option:        'the product keeps SKUs that the file does not list, and they would become invalid: {path} has no value for the option {option}',
  unnamed_repeats:             'the product keeps SKUs that the file does not list, and they would become invalid: {path} appears twice',
  unnamed_has_other_option:    'the product keeps SKUs that the file does not list, and they would become invalid: {path} is not an option of the product',
  unnamed_has_other_value:     'the product keeps SKUs that the file does not list, and they would become invalid: {path} is not one of the values of the option',
  unnamed_not_above_price:     'the product keeps SKUs that the file does not list, and they would become invalid: the compare-at price at {path} must be above the price',
  unnamed_does_not_fit:        'the product keeps SKUs that the file does not list, and they would become invalid: {path} {reason}',

  // Prices. Remarks on compare-at prices are notes: the compare-at price is left out, and the row is imported.
  price_missing:               'the price is missing',
  price_too_high:              'the price "{value}" is above {amount}',
  price_negative:              'the price "{value}" is negative',
  price_has_comma:             'the price "{value}" has a comma: write it like 1299.00',
  price_too_precise:           'the price "{value}" has more decimal places than {currency}',
  price_not_a_number:          'the price "{value}" is not a plain decimal number like 1299.00',
  price_without_currency:      'the price has no currency, but the shop sells in {shopCurrency}',
  price_in_other_currency:     'the price is in {currency}, but the shop sells in {shopCurrency}',
  compare_at_price_too_high:     'the compare-at price was left out: the price "{value}" is above {amount}',
  compare_at_price_negative:     'the compare-at price was left out: the price "{value}" is negative',
  compare_at_price_has_comma:    'the compare-at price was left out: the price "{value}" has a comma: write it like 1299.00',
  compare_at_price_too_precise:  'the compare-at price was left out: the price "{value}" has more decimal places than {currency}',
  compare_at_price_not_a_number: 'the compare-at price was left out: the price "{value}" is not a plain decimal number like 1299.00',
  compare_at_price_not_above:    'the compare-at price {value} is not above the price and was left out',
  compare_at_price_not_shown:    '{slug}: the compare-at price of {members}[? and {more} more?] is stored but not shown, because no higher price from the 30 days before is recorded',

  // Notes on what is imported differently than the file says, or not at all.
  columns_not_imported:        'these columns are not imported: {members}',
  columns_by_place:            'these columns are recognized only by their position: {members}',
  no_prices:                   'the file has no prices, so it changes only existing products and SKUs',
  no_quantities:               'warning: the file has no quantities, so new SKUs have no stock and cannot be bought: name a default stock, or import stock afterwards',
  further_notes:               'further notes were left out',
  quote_not_doubled:           'a quote within a cell is not doubled, so the end of the cell was guessed',
  handle_became_slug:          'the handle "{value}" was changed to the slug "{slug}"',
  found_by_id:                 'the product has another name in the shop and was recognized by its id as "{slug}"',
  title_cut:                   'the title was cut to {max} characters',
  brand_cut:                   'the brand was cut to {max} characters',
  seo_cut:                     'a text for search engines was cut to {max} characters',
  description_cut:             'the description was cut to {max} characters',
  description_html_cut:        'the description was cut to {max} characters of HTML',
  description_unformatted:     'the formatted description has more than {max} characters, so only its plain text was imported',
  attributes_in_description:   'attributes that are not options were appended to the description',
  categories_cut:              'only the first {max} categories were imported',
  category_cut:                'the category was cut to {max} levels',
  category_left_out:           'the category "{value}" was left out, because the product has more than {max} categories',
  tags_cut:                    'only the first {max} tags were imported',
  tags_too_long:               'tags of more than {max} characters were left out',
  warnings_cut:                'only the first {max} warnings were imported',
  warnings_too_long:           'warnings of more than {max} characters were cut',
  not_an_exemption:            '"{value}" is not a ground for excluding the right of withdrawal and was left out',
  guarantee_left_out:          'the guarantee of "{value}" years was left out: it must be {min} to {max} years',
  unknown_status:              'the status "{value}" is unknown, so the product is not published',
  published_unclear:           'the value "{value}" for published is neither true nor false, so the product is not published',
  image_left_out:              'the product has too many images, so this image was left out',
  images_cut:                  'only the first {max} images were imported',
  image_by_https:              'the image "{value}" is downloaded by https instead of http',
  image_not_https:             'the image "{value}" is not an https address and was left out',
  not_taxable:                 'the variant is tax-free at Shopify, but here the tax table applies',
  untracked_counted:           'the variant is not tracked at Shopify but has a quantity, so its stock is counted here: to sell it without limit, empty the quantity',
  unknown_policy:              'the inventory policy "{value}" is unknown, so the variant cannot be ordered without stock',
  stock_left_out:              'the stock "{value}" is not a whole number up to {max} and was left out',
  stock_negative:              'the stock {value} is negative and was changed to 0',
  barcode_left_out:            'the barcode "{value}" has more than {max} characters and was left out',
  weight_left_out:             'the weight "{value}" is not a weight in g, kg, oz or lb and was left out',
  content_left_out:            'the content "{value}" is not an amount in metric units or pieces and was left out',
  unit_price_for:              'the unit price is shown per {unit} instead',
  option_named:                'the option {place} was renamed to "{option}"',
  sku_used_before:             'the SKU "{value}" is already used on line {otherLine} and was changed to "{sku}"',
  sku_used_elsewhere:          'the SKU "{value}" belongs to the product {slug} and was changed to "{sku}"',
  variation_unrolled:          'a variation for any value of an attribute was split into a variant for each value, and its stock was divided among these variants',
  variation_unrolled_in_part:  'a variation is for any of many values of an attribute, and only the first {max} values became variants',
} as const satisfies Record<string, string>

export type RemarkCode = keyof typeof remarkSentences

// The cast holds because the table has only its own keys.
export const remarkCodes = Object.keys(remarkSentences) as RemarkCode[]

// Types of the values that sentences contain.
interface RemarkValueTypes {
  min: number
  max: number
  count: number
  more: number
  cells: number
  columns: number
  place: number
  otherLine: number
  kibibytes: number
  mebibytes: number
  members: readonly string[]
  names: readonly string[]
  value: string
  sentence: string
  encoding: string
  element: string
  reason: string
  path: string
  option: string
  slug: string
  sku: string
  maker: string
  unit: string
  amount: string
  currency: string
  shopCurrency: string
}

export type RemarkValues<Code extends RemarkCode> = ValuesIn<(typeof remarkSentences)[Code], RemarkValueTypes>

export interface Remark {
  code: RemarkCode
  values: AnyIssueValues
  // Line number in the file.
  line?: number
  // Number of further rows of the product that were refused.
  moreRows?: number
  // Whether the whole product is left out, not only one row.
  leavesOut?: boolean
}

type ValuesGiven<Code extends RemarkCode> =
  Record<never, never> extends RemarkValues<Code> ? [values?: RemarkValues<Code>] : [values: RemarkValues<Code>]

export function remark<Code extends RemarkCode>(code: Code, ...[given]: ValuesGiven<Code>): Remark {
  const members: Readonly<Record<string, IssueValue | undefined>> = given ?? {}
  const values = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { code, values: Object.fromEntries(values) }
}

// The sentence in English, without the line number.
export function remarkMessage({ code, values, moreRows, leavesOut }: Remark): string {
  const said = fillSentence(remarkSentences[code], values, { number: String, or: 'or' })
  return `${said}${moreRows === undefined ? '' : ` (and ${moreRows} more rows)`}${leavesOut ? '; the product is left out' : ''}`
}

// The remark as commands print it.
export function remarkText(one: Remark): string {
  return `${one.line === undefined ? '' : `line ${one.line}: `}${remarkMessage(one)}`
}
