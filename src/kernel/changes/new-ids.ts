/** The ids of new objects: random ones, or those that a proposal has decided. */

/**
 * Returns the id of a new object. @param of names the origin of an object that is made beside others; for others their order decides
 */
export type NewIds = (of?: string) => string

/** Outside of a proposal. */
export const createRandomId: NewIds = () => Bun.randomUUIDv7()

type Seed = { readonly proposal: string; readonly operation: string }

/** The digits of the time of a UUIDv7, with their hyphen. */
const TIME_LENGTH = 13

/**
 * Returns ids that are the same in each run of an operation of a proposal. They have the form and the time of the proposal's own UUIDv7, so
 * that indexes stay dense.
 */
export const createNewIds = ({ proposal, operation }: Seed): NewIds => {
  const counters = new Map<string, number>()
  return (of = '') => {
    const counter = counters.get(of) ?? 0
    counters.set(of, counter + 1)
    const part = `${counter} ${of}`
    const hash = new Bun.CryptoHasher('sha256').update(`${proposal} ${operation} ${part}`).digest('hex')
    const variant = ((Number.parseInt(hash.charAt(3), 16) & 0x3) | 0x8).toString(16)
    const tail = `7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
    return `${proposal.slice(0, TIME_LENGTH)}-${tail}`
  }
}
