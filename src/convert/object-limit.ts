/** Bounds the memory of a conversion: a small file can have very many tiny objects. */
import { createFileError } from './converter.ts'

const MAX_OBJECTS = 2_000_000

export class ObjectLimit {
  #count = 0

  /** Counts an object that is kept. @throws AppError beyond the limit */
  add(): void {
    if (++this.#count > MAX_OBJECTS) throw createFileError('the file', `has more than ${MAX_OBJECTS} objects`)
  }
}
