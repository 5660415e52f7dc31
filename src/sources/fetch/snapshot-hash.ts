/** The hash of a snapshot: an equal hash means equal rows, so that the snapshot needs no conversion and no comparison. */

/** @param salt all that the rows depend on beside the snapshot */
export const startSnapshotHash = (salt: string): Bun.CryptoHasher => new Bun.CryptoHasher('sha256').update(`${salt}\n`)

export const hashSnapshot = (salt: string, content: string): string =>
  startSnapshotHash(salt).update(content).digest('hex')
