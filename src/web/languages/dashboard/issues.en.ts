// The rules of the contract as the dashboard shows them beside a field.

import { type IssueCode, issueSentences } from '../../../contract/issues.ts'

// With the values of the contract, or some of them.
export type IssueTexts = Readonly<Record<IssueCode, string>>

// The sentences of the contract have no subject and begin in lower case.
function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

// The cast says that each code has its sentence.
const sentences = Object.fromEntries(
  Object.entries(issueSentences).map(([code, sentence]) => [code, asSentence(sentence)]),
) as IssueTexts

// What is said of values as programs send them is said of what people type.
// biome-ignore format: a table reads best with one row a line
export const issuesEn: IssueTexts = {
  ...sentences,
  does_not_match:          'This value is not valid.',
  required:                'Please fill in this field.',
  required_unless:         'Please fill in this field, or {alternatives} instead.',
  unknown_member:          'This field is not known.',
  unknown_parameter:       'This part of the address is not known.',
  needs_members:           'This is only possible together with {members}.',
  excluded_by:             'This is not possible together with {member}.',
  too_many_members:        'Please enter at most {max}.',
  bad_member_name:         'This name is not valid.',
  no_rule_met:             'This value is not valid.',
  not_exactly:             'Only {value} is possible here.',
  not_one_of:              'Please choose one of {allowed}.',
  not_an_integer:          'Please enter a whole number.',
  integer_out_of_range:    'Please enter a whole number from {min} to {max}.',
  integer_too_low:         'Please enter a whole number of at least {min}.',
  integer_too_high:        'Please enter a whole number of at most {max}.',
  not_a_string:            'Please enter a text.',
  string_length:           'Please enter {min} to {max} characters.',
  string_too_short:        'Please enter at least {min} characters.',
  string_too_long:         'Please enter at most {max} characters.',
  not_an_array:            'Please choose some.',
  array_length:            'Please choose {min} to {max}.',
  array_too_short:         'Please choose at least {min}.',
  array_too_long:          'Please choose at most {max}.',
  not_a_boolean:           'Please choose yes or no.',
  not_an_object:           'This value is not valid.',
  not_null:                'Please leave this empty.',
  repeated_item:           'This is here twice.',
  not_a_country_code:      'Please choose a country from the list.',
  not_a_country:           'Please choose a country from the list.',
  unknown_country:         'Please choose a country from the list.',
  pattern_mismatch:        'This value is not valid.',
  blank:                   'Please fill in this field.',
  needed:                  'Please fill in this field.',
  needed_for_type:         'Please fill in this field.',
  needed_in_country:       'Please fill in this field.',
  duplicate:               'This is here twice.',
  too_long:                'Please enter at most {max} characters.',
  too_many_items:          'Please enter at most {max}.',
  not_rising:              'Each step must be above the one before.',
  not_above_price:         'The compare-at price must be above the price.',
  control_characters:      'This text has characters that cannot be shown. Please type it anew.',
  bad_text:                'This text has characters that cannot be shown. Please type it anew.',
  contains_zero:           'This text has characters that cannot be shown. Please type it anew.',
  unreadable_instant:      'Please enter a date and a time.',
  not_an_instant:          'Please enter a date and a time.',
  not_an_instant_in_utc:   'Please enter a date and a time.',
}
