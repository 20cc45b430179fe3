// Seats for requests that nobody vouches for and whose body somebody else reads: a few in all, and fewer for one address, so
// that callers who send slowly fill these seats and not the house.

export interface Seats {
  // False when there is none.
  take(address: string): boolean
  leave(address: string): void
}

export function createSeats({ seatsMax, perAddressMax }: { seatsMax: number; perAddressMax: number }): Seats {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(address) {
      const own = taken.get(address) ?? 0
      if (total >= seatsMax || own >= perAddressMax) return false
      total += 1
      taken.set(address, own + 1)
      return true
    },
    leave(address) {
      const own = taken.get(address) ?? 0
      if (own === 0) return
      total -= 1
      if (own === 1) taken.delete(address)
      else taken.set(address, own - 1)
    },
  }
}
