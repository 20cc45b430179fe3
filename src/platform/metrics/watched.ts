// Returns a storage whose transactions are tracked as the work that called them (platform/kit/work.ts).

import { asOwnWork } from '../kit/work.ts'
import type { Storage } from '../storage/storage.ts'

export function measureStorage(storage: Storage): Storage {
  return {
    ...storage,
    read: (work) => storage.read(asOwnWork(work)),
    write: (work) => storage.write(asOwnWork(work)),
  }
}
