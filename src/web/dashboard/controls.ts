// Controls that form.ts does not have: a group of checkboxes, a button with a form of its own, and a list of typed words.

import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { keyField } from './form.ts'
import { type ButtonKind, button } from './parts.ts'

export interface CheckboxGroup {
  // The parameter under which each ticked box sends its value.
  name: string
  legend: string
  help?: string
  options: readonly { value: string; label: string; help?: string | undefined }[]
  chosen?: readonly string[]
  problem?: string | undefined
}

export function renderCheckboxGroup({ name, legend, help, options, chosen = [], problem }: CheckboxGroup): Html {
  const noteId = `checks-${name}-note`
  return html`<fieldset
    class="checks"${(help !== undefined || problem !== undefined) && html` aria-describedby="${noteId}"`}>
    <legend>${legend}</legend>
${
  (help !== undefined || problem !== undefined) &&
  html`<div id="${noteId}">
    ${help !== undefined && html`<p class="help">${help}</p>`}
    ${problem !== undefined && html`<p class="wrong">${problem}</p>`}
  </div>`
}
<div class="checks-list">
  ${options.map(
    (option) =>
      html`<label class="check">
      <input type="checkbox" name="${name}" value="${option.value}"${chosen.includes(option.value) && html` checked`}>
      <span>
        <span class="check-name">${option.label}</span>
        ${option.help !== undefined && html`<span class="help">${option.help}</span>`}
      </span>
    </label>`,
  )}</div></fieldset>`
}

export interface PostParts {
  action: string
  label: string
  kind?: ButtonKind
  hidden?: Readonly<Record<string, string>>
}

// A button for an action that needs no confirmation.
export function postButton({ action, label, kind = 'second', hidden = {} }: PostParts): Html {
  return html`<form class="inline" method="post" action="${action}">${keyField()}${hiddenFields(hidden)}${button({ label, kind })}</form>`
}

// Splits a typed text at white space, commas and semicolons.
export function splitTypedWords(text: string | null, wordsMax = 250): string[] {
  return (text ?? '')
    .slice(0, 20_000)
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
    .slice(0, wordsMax)
}
