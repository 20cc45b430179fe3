// Parts shared by the elements. Pages style them with `::part()` and the variables that the style sheet names.

import { words } from './words.ts'

const sheet = new CSSStyleSheet()
sheet.replaceSync(`
:host{display:block;font:inherit;color:inherit;--radius:var(--cartwright-radius,.5em)}
:host(cartwright-buy),:host(cartwright-cart){display:inline-block}
button,select,input{min-height:2.75em;font:inherit;color:inherit}
button,select,input,dialog,img{border-radius:var(--radius)}
button{padding:0 1.2em;border:1px solid transparent;background:var(--cartwright-color,#1f1d1a);color:var(--cartwright-on-color,#fff);cursor:pointer}
[disabled],[aria-disabled]{opacity:.6;cursor:default}
button.quiet{border-color:currentcolor;background:none;color:inherit}
select,input,dialog{border:1px solid #8a8580}
select,input{box-sizing:border-box;padding:0 .6em;background:none}
input{width:5em}
img{display:block;width:100%;height:auto}
.product{display:grid;gap:.6em;max-width:22em}
.name{font-size:1.2em;font-weight:600}
p{margin:0}
.row{display:flex;gap:.6em;align-items:center;justify-content:space-between}
dialog{width:min(30em,92vw);padding:1.4em}
ul{display:grid;gap:1em;margin:1em 0;padding:0;list-style:none}
:host([hidden]),[hidden],[role="status"]:empty{display:none}
`)

type Attributes = Readonly<Record<string, string>>

export function part<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...content)
  return made
}

export class ShopElement extends HTMLElement {
  readonly root = this.attachShadow({ mode: 'open' })
  readonly status = part('p', { part: 'status', role: 'status' })

  constructor() {
    super()
    this.root.adoptedStyleSheets = [sheet]
  }

  show(...content: Node[]): void {
    this.root.replaceChildren(...content)
  }

  // Ignores presses while one is being handled. The button is not disabled, because it would lose the focus.
  press(button: HTMLButtonElement, work: () => Promise<unknown>): void {
    button.onclick = async () => {
      if (button.ariaDisabled) return
      button.ariaDisabled = 'true'
      await this.try(work)
      button.ariaDisabled = null
    }
  }

  async try(work: () => Promise<unknown>): Promise<void> {
    this.status.textContent = ''
    try {
      await work()
    } catch {
      this.status.textContent = words.failed
    }
  }
}
