// Writes schemas.json: the shapes of Stripe's requests and answers, from the types of the pinned package. Run by hand after an
// update of the package, with a TypeScript that has a compiler API (the project's own has none):
//
//   npm install --prefix /tmp/typescript5 typescript@5.9.3
//   node harness/stripe/schemas.mjs /tmp/typescript5 && npm run -s format
//
// The whole closure of the types is several megabytes and names types twice. What is needed is cut out here: of a request the
// parameters that the stand-in understands (the names of the others are listed, so they are refused in other words than
// unknown ones), of an answer everything that Stripe always sends and the optional parts that the stand-in fills.

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import Stripe from 'stripe'

const compilers = process.argv[2]
if (!compilers) throw new Error('usage: schemas.mjs FOLDER (where typescript 5 is installed)')
const ts = createRequire(join(compilers, 'package.json'))('typescript')

const requests = {
  AccountRetrieve: ['AccountRetrieveCurrentParams', 'expand'],
  DisputeList: ['DisputeListParams', 'charge created ending_before limit payment_intent starting_after'],
  EventList: ['EventListParams', 'created ending_before limit starting_after type types'],
  PaymentIntentCancel: ['PaymentIntentCancelParams', 'cancellation_reason expand'],
  PaymentIntentCapture: ['PaymentIntentCaptureParams', 'amount_to_capture expand'],
  PaymentIntentConfirm: ['PaymentIntentConfirmParams', 'expand payment_method return_url'],
  PaymentIntentCreate: [
    'PaymentIntentCreateParams',
    'amount automatic_payment_methods capture_method currency description expand metadata receipt_email statement_descriptor_suffix',
  ],
  PaymentIntentList: ['PaymentIntentListParams', 'created ending_before expand limit starting_after'],
  PaymentIntentRetrieve: ['PaymentIntentRetrieveParams', 'client_secret expand'],
  PaymentIntentUpdate: [
    'PaymentIntentUpdateParams',
    'description expand metadata receipt_email shipping statement_descriptor_suffix',
  ],
  PaymentMethodDomainCreate: ['PaymentMethodDomainCreateParams', 'domain_name enabled'],
  PaymentMethodDomainList: ['PaymentMethodDomainListParams', 'domain_name enabled ending_before limit starting_after'],
  PaymentMethodDomainValidate: ['PaymentMethodDomainValidateParams', 'expand'],
  RefundCreate: ['RefundCreateParams', 'amount charge expand metadata payment_intent reason'],
  RefundList: ['RefundListParams', 'charge created ending_before expand limit payment_intent starting_after'],
  RefundRetrieve: ['RefundRetrieveParams', 'expand'],
  WebhookEndpointCreate: ['WebhookEndpointCreateParams', 'api_version description enabled_events metadata url'],
  WebhookEndpointDelete: ['WebhookEndpointDeleteParams', ''],
  WebhookEndpointList: ['WebhookEndpointListParams', 'ending_before limit starting_after'],
}

// The optional or nullable parts of answers that the stand-in fills.
const answers = {
  Account: 'card_payments country default_currency payments settings',
  Charge:
    'billing_details card checks fingerprint outcome payment_intent payment_method_details risk_level risk_score sepa_debit',
  DeletedWebhookEndpoint: '',
  Dispute: 'payment_intent',
  EventBase: 'data request',
  PaymentIntent:
    'allow_redirects automatic_payment_methods charge code decline_code doc_url last_payment_error latest_charge message name next_action payment_method_type phone redirect_to_url shipping address city country line1 line2 postal_code state',
  PaymentMethodDomain: 'error_message status_details',
  Refund:
    'card destination_details failure_reason metadata pending_reason payment_intent reference reference_status reference_type',
  WebhookEndpoint: 'secret',
}

// An object that Stripe sends in place of its id when asked to expand it.
const expandable = { latest_charge: 'Charge' }

const project = join(import.meta.dirname, '../..')
const entry = join(project, 'harness/stripe/entry.ts')
const types = [...new Set([...Object.values(requests).map(([type]) => type), ...Object.keys(answers)])]
const text = `import type Stripe from 'stripe'\n${types.map((type) => `export type ${type} = Stripe.${type}`).join('\n')}`

const options = { strict: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext }
const host = ts.createCompilerHost(options)
const { getSourceFile, fileExists } = host
host.getSourceFile = (file, ...rest) =>
  file === entry ? ts.createSourceFile(file, text, ts.ScriptTarget.ESNext) : getSourceFile(file, ...rest)
host.fileExists = (file) => file === entry || fileExists(file)
const program = ts.createProgram([entry], options, host)
const source = program.getSourceFile(entry)
const complaints = program.getSemanticDiagnostics(source)
if (complaints.length > 0)
  throw new Error(ts.formatDiagnostics(complaints, { ...host, getCanonicalFileName: (f) => f }))
const checker = program.getTypeChecker()
const exported = new Map(checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((one) => [one.name, one]))
const typeOf = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name))

const has = (type, flag) => (type.flags & flag) !== 0
const isObject = (type) => has(type, ts.TypeFlags.Object) && !checker.isArrayType(type)
const isEntity = (type) =>
  isObject(type) && type.getProperty('id') !== undefined && type.getProperty('object') !== undefined

function schemaOf(type, kept, name) {
  const members = (type.isUnion() ? type.types : [type]).filter(
    (one) => !has(one, ts.TypeFlags.Undefined | ts.TypeFlags.Void),
  )
  const isNullable = members.some((one) => has(one, ts.TypeFlags.Null))
  const literals = members.filter((one) => one.isLiteral() || has(one, ts.TypeFlags.BooleanLiteral))
  const hasId = members.some((one) => has(one, ts.TypeFlags.String)) && members.some(isEntity)
  const choices = []
  for (const one of members) {
    if (literals.includes(one) || has(one, ts.TypeFlags.Null)) continue
    // `OtherString`: that Stripe may add words later is no reason for the stand-in to invent any.
    if (one.isIntersection()) continue
    if (isEntity(one) && hasId) {
      if (kept.has(name) && name in expandable && one.symbol.name === expandable[name])
        choices.push({ $ref: `#/$defs/${expandable[name]}` })
      continue
    }
    if (isObject(one) && isNullable && !kept.has(name)) continue
    choices.push(plainSchemaOf(one, kept))
  }
  const booleans = literals.filter((one) => has(one, ts.TypeFlags.BooleanLiteral))
  if (booleans.length === 2) choices.push({ type: 'boolean' })
  const values = literals
    .filter((one) => booleans.length !== 2 || !booleans.includes(one))
    .map((one) => (one.isLiteral() ? one.value : one.intrinsicName === 'true'))
  if (values.length > 0) choices.push({ enum: values.sort() })
  if (isNullable) choices.push({ type: 'null' })
  return choices.length === 1 ? choices[0] : { anyOf: choices }
}

function plainSchemaOf(type, kept) {
  if (has(type, ts.TypeFlags.String)) return { type: 'string' }
  if (has(type, ts.TypeFlags.Number)) return { type: 'integer' }
  if (checker.isArrayType(type)) return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0], kept, '') }
  if (!isObject(type)) throw new Error(`no schema for ${checker.typeToString(type)}`)
  const [index] = checker.getIndexInfosOfType(type)
  if (index) return { type: 'object', additionalProperties: schemaOf(index.type, kept, '') }
  return objectSchemaOf(type, kept)
}

function objectSchemaOf(type, kept, only) {
  const [properties, required] = [{}, []]
  for (const property of checker.getPropertiesOfType(type).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const isOptional = has(property, ts.SymbolFlags.Optional)
    if (only ? !only.has(property.name) : isOptional && kept && !kept.has(property.name)) continue
    properties[property.name] = schemaOf(checker.getTypeOfSymbol(property), kept ?? everything, property.name)
    if (!isOptional) required.push(property.name)
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

// Includes all members of a parameter that is understood.
const everything = { has: () => true }
const words = (list) => new Set(list.split(' ').filter(Boolean))

const { PACKAGE_VERSION: version } = Stripe
const written = { version, requests: {}, answers: {} }
for (const [name, [type, understood]] of Object.entries(requests)) {
  const schema = objectSchemaOf(typeOf(type), everything, words(understood))
  const names = checker.getPropertiesOfType(typeOf(type)).map((property) => property.name)
  for (const one of words(understood)) if (!names.includes(one)) throw new Error(`${type} has no ${one}`)
  written.requests[name] = { schema, others: names.filter((one) => !words(understood).has(one)).sort() }
}
for (const [type, kept] of Object.entries(answers)) {
  const schema = objectSchemaOf(typeOf(type), words(kept))
  // What an event is about has a schema of its own.
  if (type === 'EventBase') schema.properties.data = { type: 'object' }
  written.answers[type] = schema
}
writeFileSync(join(import.meta.dirname, 'schemas.json'), `${JSON.stringify(written)}\n`)
