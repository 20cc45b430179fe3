// Makes one DOM tree equal to another, and keeps every element that both have, with its focus and pressed state. Elements are matched by
// id.

import { byId } from './dom.ts'
import { state } from './state.ts'

export function morph(old: ChildNode, given: ChildNode): void {
  if (old.nodeName !== given.nodeName || idOf(old) !== idOf(given)) old.replaceWith(document.importNode(given, true))
  else if (old instanceof Element && given instanceof Element) morphElement(old, given)
  else if (old.nodeValue !== given.nodeValue) old.nodeValue = given.nodeValue
}

function idOf(node: ChildNode): string {
  return node instanceof Element ? node.id : ''
}

function morphElement(old: Element, given: Element): void {
  for (const { name } of [...old.attributes]) {
    // A `<details>` that the shopper opened stays open.
    const isUnfolded = name === 'open' && old.tagName === 'DETAILS'
    if (!given.hasAttribute(name) && !isUnfolded) old.removeAttribute(name)
  }
  for (const { name, value } of given.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  // Values set by a script or the user are properties, not attributes, so inputs are handled separately.
  if (old instanceof HTMLInputElement) morphInput(old, given as HTMLInputElement)
  morphChildren(old, given)
}

function morphInput(old: HTMLInputElement, given: HTMLInputElement): void {
  const { typed, draft, quantities } = state
  if (['radio', 'checkbox'].includes(old.type)) {
    // The shopper's choices in the payment form stay, such as the method.
    if (!byId('pay')?.contains(old)) old.checked = given.checked
    // Setting an equal value would still clear the selection, which the shopper may be about to overwrite.
  } else if (old.type === 'hidden' || !(typed.has(old.id) || old.id === draft || quantities.has(old.id.slice(9)))) {
    if (old.value !== given.value) old.value = given.value
  }
}

function morphChildren(old: Element, given: Element): void {
  const ids = new Set([...given.children].map(({ id }) => id).filter(Boolean))
  for (const child of [...old.children]) if (child.id && !ids.has(child.id)) child.remove()
  let at = old.firstChild
  for (const wanted of given.childNodes) {
    const id = idOf(wanted)
    const here = id ? [...old.children].find((child) => child.id === id) : at
    if (!here) {
      old.insertBefore(document.importNode(wanted, true), at)
      continue
    }
    // The new page does not have the nodes before the matching one.
    removeUntil(here, at)
    at = here.nextSibling
    morph(here, wanted)
  }
  removeUntil(null, at)
}

function removeUntil(end: ChildNode | null, from: ChildNode | null): void {
  for (let at = from; at && at !== end; ) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}
