// Turns of a loop in tests.

// A server that shuts down after this many rounds.
export function endsAfter(rounds: number): () => boolean {
  let left = rounds
  return () => {
    left -= 1
    return left < 0
  }
}
