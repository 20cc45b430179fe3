// Inside the frame: holds what the shopper types, and confirms with it. It answers questions of the page that opened it.

const form = document.forms[0]
const typed = (name) => form.elements[name].value.replaceAll(' ', '')
let parentOrigin
let key

const incomplete = (code, message) => ({ error: { type: 'validation_error', code, message } })

function check() {
  if (form.elements.type.value === 'sepa_debit')
    return /^[A-Za-z]{2}\w{13,32}$/.test(typed('iban')) ? {} : incomplete('incomplete_iban', 'Your IBAN is incomplete.')
  if (!/^\d{12,19}$/.test(typed('number'))) return incomplete('incomplete_number', 'Your card number is incomplete.')
  if (!/^\d\d\/?\d\d$/.test(typed('expiry')))
    return incomplete('incomplete_expiry', "Your card's expiration date is incomplete.")
  return /^\d{3,4}$/.test(typed('cvc')) ? {} : incomplete('incomplete_cvc', "Your card's security code is incomplete.")
}

async function confirm({ clientSecret, returnUrl, billingDetails = {} }) {
  const params = new URLSearchParams({ key, client_secret: clientSecret })
  if (returnUrl) params.set('return_url', returnUrl)
  const type = form.elements.type.value
  params.set('payment_method_data[type]', type)
  if (type === 'card') params.set('payment_method_data[card][number]', typed('number'))
  else params.set('payment_method_data[sepa_debit][iban]', typed('iban'))
  const { address = {}, ...person } = billingDetails
  for (const [name, value] of Object.entries(person)) params.set(`payment_method_data[billing_details][${name}]`, value)
  for (const [name, value] of Object.entries(address))
    params.set(`payment_method_data[billing_details][address][${name}]`, value)
  const id = clientSecret.split('_secret_')[0]
  const response = await fetch(`/v1/payment_intents/${id}/confirm`, { method: 'POST', body: params })
  const body = await response.json()
  return response.ok ? { paymentIntent: body } : { error: body.error }
}

function show(question) {
  key = question.key
  form.querySelector('fieldset').hidden = !question.intent.payment_method_types.includes('sepa_debit')
  return {}
}

const answers = { check, confirm, show }

window.addEventListener('message', async ({ source, origin, data }) => {
  if (source !== window.parent) return
  parentOrigin ??= origin
  if (origin !== parentOrigin) return
  const answer = await answers[data.kind](data)
  window.parent.postMessage({ kind: 'answer', id: data.id, answer }, parentOrigin)
})

form.addEventListener('input', () => {
  for (const type of ['card', 'sepa_debit']) document.getElementById(type).hidden = form.elements.type.value !== type
  if (parentOrigin)
    window.parent.postMessage(
      { kind: 'change', type: form.elements.type.value, complete: !check().error },
      parentOrigin,
    )
})

form.addEventListener('submit', (event) => event.preventDefault())
// The page's origin is not known yet, and the message says nothing.
window.parent.postMessage({ kind: 'loaded' }, '*')
