// What the test files of one process share, such as a browser: starting one for each file would take longer than many of
// the files do. A file that is run alone shares nothing.

let ends: (() => Promise<void>)[] | undefined

// The process calls `endShared` before it ends.
export function allowSharing(): void {
  ends = []
}

export function canShare(): boolean {
  return ends !== undefined
}

// Registers what ends something that is shared.
export function endLast(end: () => Promise<void>): void {
  ends?.push(end)
}

export async function endShared(): Promise<void> {
  const all = ends ?? []
  ends = undefined
  for (const end of all) await end()
}
