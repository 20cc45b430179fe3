// Access to elements of the page.

import type { DetailsIntent, PageState } from './names.ts'

export const { body } = document
export const isOpen = stateOf(document) === 'open'

// Returns undefined if this server did not render the page.
export function stateOf(page: Document): PageState | undefined {
  return page.body.dataset.state as PageState | undefined
}

export type Field = HTMLInputElement | HTMLSelectElement
export type Fields = Readonly<Record<string, string>>

// Elements whose type is more specific than HTMLElement.
interface Elements {
  details: HTMLFormElement
  pay: HTMLFormElement
  country: Field
  region: Field
  'time-more': HTMLButtonElement
}
type ElementOf<Id extends string> = Id extends keyof Elements ? Elements[Id] : HTMLElement

// The cast holds: the server always renders an id as the same type of element.
export function byId<Id extends string>(id: Id, page = document): ElementOf<Id> | null {
  return page.getElementById(id) as ElementOf<Id> | null
}

// Returns an element that every page of an open session contains.
export function element<Id extends string>(id: Id): ElementOf<Id> {
  return byId(id) as ElementOf<Id>
}

export function quantityInput(skuId: string, page = document): HTMLInputElement | null {
  return byId(`quantity-${skuId}`, page) as HTMLInputElement | null
}

// Announces the text to screen readers.
export function tell(text: string | undefined): void {
  const told = byId('told')
  if (told && text) told.textContent = text
}

// The cast holds: forms of the checkout have no file fields.
export function fieldsOf(form: HTMLFormElement): Fields {
  return Object.fromEntries(new FormData(form)) as Fields
}

export function detailFields(intent?: DetailsIntent): Fields {
  return { ...fieldsOf(element('details')), ...(intent && { intent }) }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
