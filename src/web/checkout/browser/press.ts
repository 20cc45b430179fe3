// While a button is held down, the page must not change. The wait is limited, because the button may be released outside the page.

import { pause } from './dom.ts'
import { state } from './state.ts'

export function watchPresses(): void {
  for (const start of ['pointerdown', 'keydown']) addEventListener(start, press, true)
  for (const end of ['pointerup', 'pointercancel', 'keyup', 'blur']) addEventListener(end, letGo, true)
}

function press(): void {
  state.isPressed = true
}

function letGo(): void {
  setTimeout(() => {
    state.isPressed = false
  }, 0)
}

export async function pointerUp(): Promise<void> {
  for (let waits = 0; state.isPressed && waits < 50; waits += 1) await pause(20)
}
