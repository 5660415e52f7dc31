/** A write that is done once for its idempotency key, as its transaction knows it. */

/** A call with an idempotency key. */
export type Attempt = {
  /** The name of the operation or the route. */
  readonly operation: string
  readonly key: string
  /** Hashes of the input: as sent, and with ids in place of refs, as older programs store it. */
  readonly hashes: readonly string[]
  /** The answer is not kept. */
  readonly isSecret?: boolean | undefined
  /** It may take minutes. */
  readonly isLong?: boolean | undefined
  /** Called by a retry with the change of the first attempt. */
  readonly onRepeat?: (changeId: string) => void
}

const hashInput = (input: unknown): string => new Bun.CryptoHasher('sha256').update(JSON.stringify(input)).digest('hex')

type AttemptParts = Omit<Attempt, 'key' | 'hashes'> & {
  readonly key: string | undefined
  /** At least one; see `hashes`. */
  readonly inputs: readonly unknown[]
}

/** @returns undefined without a key */
export const createAttempt = ({ key, inputs, ...attempt }: AttemptParts): Attempt | undefined => {
  if (key === undefined) return undefined
  return { ...attempt, key, hashes: inputs.map(hashInput) }
}
