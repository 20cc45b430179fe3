// Without script the forms for passkeys stay hidden, and people use a password or a code. The script adds the authenticator's signed
// response to a form, which is then posted normally.

const canUse =
  typeof PublicKeyCredential !== 'undefined' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential

async function ask({ passkey: purpose = '', options: path }: DOMStringMap): Promise<PublicKeyCredential> {
  const answer = await fetch(path ?? '/admin/passkeys/options', {
    method: 'POST',
    body: new URLSearchParams({ for: purpose }),
  })
  if (!answer.ok) throw new Error(`the server answered with status ${answer.status}`)
  const options = await answer.json()
  const credential = await (purpose === 'register'
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }))
  // The cast holds: both options request a public key.
  return credential as PublicKeyCredential
}

for (const form of canUse ? document.querySelectorAll<HTMLFormElement>('form[data-passkey]') : []) {
  // The casts hold: every form for passkeys has these two elements.
  const response = form.elements.namedItem('response') as HTMLInputElement
  const problem = form.querySelector('[data-problem]') as HTMLElement
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    problem.hidden = true
    try {
      const credential = await ask(form.dataset)
      response.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      // The person cancelled or has no passkey, or the request failed. The person can try again.
      problem.hidden = false
    }
  })
}
