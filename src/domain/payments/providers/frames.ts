// The scripts that show a provider's frame on the pay page, by the name of the provider. They are served from our own origin, and
// import nothing from the provider's code for the server.

export const frameScripts: Readonly<Record<string, URL>> = {
  stripe: new URL('stripe/browser/frame.ts', import.meta.url),
}
