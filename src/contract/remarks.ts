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
  unknown_encoding:            'the encoding {encoding} is not known',
  not_in_encoding:             'the text is not {encoding}',
  perhaps_utf16:               'the text is not UTF-8 but perhaps UTF-16 without its mark; save the file as "CSV UTF-8"',
  csv_not_utf8:                'the text is not UTF-8; save the file as "CSV UTF-8", or name its encoding, often windows-1252',
  feed_not_utf8:               'the text is not UTF-8; name its encoding, often windows-1252',
  document_type:               'a document type is not read',
  elements_too_deep:           'elements are nested deeper than {max}',
  xml_text_too_long:           'a text is longer than {mebibytes} MiB',
  xml_tag_too_long:            'a tag is longer than {kibibytes} KiB',
  xml_token_too_long:          'a text or tag is longer than {mebibytes} MiB',
  text_outside_root:           'there is text outside of the root element',
  second_root:                 '<{element}> follows the root element',
  no_element:                  'the file has no element',
  ends_within_tag:             'the file ends within a tag',
  ends_within_element:         'the file ends within {element}',
  wrong_end_tag:               'an end tag does not close <{element}>',
  stray_end_tag:               '</{element}> does not close anything',
  bare_ampersand:              'an & is not written as &amp;',
  xml_malformed:               'the XML is not well-formed: {reason}',
  not_a_feed:                  '<{element}> is not a feed in RSS or Atom',
  wordpress_export:            'this is an export of WordPress, which has no prices; in WooCommerce open Products, choose Export, and take that CSV file',
  too_many_elements:           'there are more than {max} elements in one item or without one',
  feed_too_large:              'a feed has at most {max} items and {mebibytes} MiB; split it',
  too_many_rows:               'a file of this kind has at most {max} rows and {mebibytes} MiB; split it',
  reading_broken_off:          'reading the file was broken off {count} times, so it is not read again; split it, and send it again',

  // Why a file cannot be imported.
  column_missing:              'the first row names no column {names}, so this is not a product file of Shopify, WooCommerce, Wix or Medusa, nor a Google feed',
  columns_unknown:             'the first row names no columns of a system that is known, so say what its columns hold',
  columns_assigned_before:     'its columns are read as those of an earlier file with the same first row',
  stock_columns_missing:       'the first row must name the columns "SKU" and "On hand (new)"',
  stock_file:                  'this is a file of stock; import it as stock',
  woocommerce_language:        'this is a product file of WooCommerce whose columns are named in a language that is not known here; in WordPress set the language of your profile to English, and export it again',
  currency_column_missing:     'the file has no prices in {currency}: no column "Variant Price {currency}"',

  // Why a row or a product is refused.
  row_too_wide:                'the row has {cells} cells, the header {columns}',
  row_empty:                   'the row brings neither a variant nor an image',
  row_without_product:         'the row belongs to no product of the file',
  parent_missing:              'the variation names no product of the file as its parent',
  type_not_imported:           'products of the type "{value}" are not imported',
  too_many_attributes:         'its variations differ by more than three attributes',
  no_variations:               'the product has no variations in the file',
  no_variant:                  'it has no variant',
  too_many_variants:           'the product has more than {max} variants',
  handle_missing:              'the handle is missing',
  handle_repeated:             'duplicate handle: line {otherLine} has it too, and the rows of a product must stand together',
  title_missing:               'the title is missing',
  option_value_too_long:       'an option value has more than {max} characters',
  option_without_value:        'the option "{option}" has no value',
  same_options:                'the variant has the same options as line {otherLine}',
  variant_repeated:            'the variant is already on line {otherLine}',
  variant_unknown:             'there is no such variant',
  sku_missing:                 'the SKU is missing',
  sku_too_long:                'the SKU has more than {max} characters',
  sku_repeated:                'the SKU is already on line {otherLine}',
  sku_unknown:                 'there is no SKU with this code',
  sku_of_other_product:        'SKU code {sku} belongs to another product',
  sku_without_price:           'there is no SKU "{sku}" yet, and the file has no prices',
  product_without_price:       'there is no such product yet, and the file has no prices',
  maker_unknown:               'there is no maker {maker}',
  stock_not_a_number:          'the stock "{value}" is not a whole number up to {max}',
  current_stock_not_a_number:  'the current stock "{value}" is not a whole number up to {max}',
  stock_differs:               'the stock is {count} now',
  category_too_deep:           'its category would be nested too deeply',
  category_below_depth:        'its category would stand deeper than {max} levels',
  too_many_categories:         'its category would be one of more than {max}',
  category_removed:            'its category was removed since the plan',
  product_changed:             'the product was changed since the plan',
  not_written:                 'it could not be written because of an error of the server',
  not_written_because:         'it could not be written: {reason}',

  // Why a product is refused if the file does not list all of its SKUs: the unlisted SKUs stay, and would become invalid.
  too_many_with_unnamed:       'with the SKUs that it does not name it would have more than {max}',
  unnamed_lacks_option:        'it does not fit to the SKUs that it does not name: {path} must name {option}',
  unnamed_repeats:             'it does not fit to the SKUs that it does not name: {path} is there twice',
  unnamed_has_other_option:    'it does not fit to the SKUs that it does not name: {path} is not an option of the product',
  unnamed_has_other_value:     'it does not fit to the SKUs that it does not name: {path} is not among the values of the option',
  unnamed_not_above_price:     'it does not fit to the SKUs that it does not name: {path} must be above the price',
  unnamed_does_not_fit:        'it does not fit to the SKUs that it does not name: {path} {reason}',

  // Prices. Remarks on compare-at prices are notes: the compare-at price is left out, and the row is imported.
  price_missing:               'the price is missing',
  price_too_high:              'the price "{value}" is above {amount}',
  price_negative:              'the price "{value}" is negative',
  price_has_comma:             'the price "{value}" has a comma; write it like 1299.00',
  price_too_precise:           'the price "{value}" has more digits than {currency} has',
  price_not_a_number:          'the price "{value}" is not a plain decimal number like 1299.00',
  price_without_currency:      'the price is in no currency, and the shop sells in {shopCurrency}',
  price_in_other_currency:     'the price is in {currency}, and the shop sells in {shopCurrency}',
  compare_at_price_too_high:     'the compare-at price was left out: the price "{value}" is above {amount}',
  compare_at_price_negative:     'the compare-at price was left out: the price "{value}" is negative',
  compare_at_price_has_comma:    'the compare-at price was left out: the price "{value}" has a comma; write it like 1299.00',
  compare_at_price_too_precise:  'the compare-at price was left out: the price "{value}" has more digits than {currency} has',
  compare_at_price_not_a_number: 'the compare-at price was left out: the price "{value}" is not a plain decimal number like 1299.00',
  compare_at_price_not_above:    'the compare-at price {value} is not above the price and was left out',
  compare_at_price_not_shown:    '{slug}: the compare-at price of {members}[? and {more} more?] is stored and not shown, as no higher price in the 30 days before is known',

  // Values of a file that are imported differently than written.
  columns_not_imported:        'columns that are not imported: {members}',
  columns_by_place:            'columns that are known by their place alone: {members}',
  no_prices:                   'the file has no prices, so it changes only products and SKUs that exist',
  no_quantities:               'warning: the file has no quantities, so new SKUs have no stock and cannot be bought; name a default, or import stock afterwards',
  further_notes:               'further notes were left out',
  quote_not_doubled:           'a quote within a cell is not doubled; the cell was read as far as it could be',
  handle_became_slug:          'the handle "{value}" became the slug "{slug}"',
  found_by_id:                 'the product has another name here, and is found by its id as "{slug}"',
  title_cut:                   'the title was cut to {max} characters',
  brand_cut:                   'the brand was cut to {max} characters',
  seo_cut:                     'a text for search engines was cut to {max} characters',
  description_cut:             'the description was cut to {max} characters',
  description_html_cut:        'the description was cut to {max} characters of HTML',
  description_unformatted:     'the formatted description has more than {max} characters; only its text was taken',
  attributes_in_description:   'attributes that are not options are listed at the end of descriptions',
  categories_cut:              'only the first {max} categories were taken',
  category_cut:                'the category was cut to {max} levels',
  category_left_out:           'more than {max} categories: "{value}" was left out',
  tags_cut:                    'only the first {max} tags were taken',
  tags_too_long:               'tags of more than {max} characters were left out',
  warnings_cut:                'only the first {max} warnings were taken',
  warnings_too_long:           'warnings were cut to {max} characters',
  not_an_exemption:            '"{value}" is not a reason against withdrawing, and was left out',
  guarantee_left_out:          'the guarantee of "{value}" years was left out: it is for {min} to {max}',
  unknown_status:              'unknown status "{value}": not published',
  published_unclear:           '"{value}" is neither true nor false: not published',
  image_left_out:              'too many images; this one was left out',
  images_cut:                  'only the first {max} images were taken',
  image_by_https:              'the image "{value}" is taken by https',
  image_not_https:             'the image "{value}" is not an https address and was left out',
  not_taxable:                 'the variant is not taxable at Shopify; here the tax table decides',
  untracked_counted:           'the variant is not tracked at Shopify but has a number, so its stock is counted here; empty the number where it is always sold',
  unknown_policy:              'unknown inventory policy "{value}": no orders without stock',
  stock_left_out:              'the stock "{value}" is not a whole number up to {max} and was left out',
  stock_negative:              'the stock {value} is negative and became 0',
  barcode_left_out:            'the barcode "{value}" has more than {max} characters and was left out',
  weight_left_out:             'the weight "{value}" is not a weight in g, kg, oz or lb and was left out',
  content_left_out:            'the content "{value}" is not an amount in metric units or items and was left out',
  unit_price_for:              'the unit price is for {unit} here',
  option_named:                'option {place} was named "{option}"',
  sku_used_before:             'the SKU "{value}" is already used on line {otherLine}; here it became "{sku}"',
  sku_used_elsewhere:          'the SKU "{value}" belongs to the product {slug}; here it became "{sku}"',
  variation_unrolled:          'a variation for any value of an attribute became a variant for each value, and its stock was divided among them',
  variation_unrolled_in_part:  'a variation stands for any of many values, of which only the first {max} became variants',
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
