/** When a change of a credential aims its secrets somewhere else (discovery/credential-store.ts), and which of them it needs again. */
import type { FieldIssue } from '../../platform/contract/errors.ts'
import type { Credential, SecretField } from './api.ts'
import { type SecretValues, secretsOf } from './secret-fields.ts'

type Target = Pick<Credential, 'type' | 'device_id' | 'network_id'>

/** Types whose credentials, with a device and a network, are tried on the device alone. */
export const SSH_TYPES = ['ssh_password', 'ssh_key'] as const

const isSsh = ({ type }: Target): boolean => SSH_TYPES.some((one) => one === type)

/**
 * Whether `after` is tried where `before` was not. Without a device and a network it is tried nowhere. A login by SSH that has both
 * is tried on the device alone, so without the device it is for all of the network.
 */
export const isNewTarget = (before: Target, after: Target): boolean => {
  const isOtherDevice = after.device_id !== null && after.device_id !== before.device_id
  const isOtherNetwork = after.network_id !== null && after.network_id !== before.network_id
  const isWider = isSsh(after) && before.device_id !== null && after.device_id === null && after.network_id !== null
  return isOtherDevice || isOtherNetwork || isWider
}

/** Stands for no secret: it is what answers show in other places. */
const MASK = '***'

type Change = {
  readonly before: Credential
  readonly after: Credential
  /** What was sent; an empty text clears. */
  readonly given: Readonly<Partial<Record<SecretField, string | undefined>>>
  /** What is stored; undefined where it cannot be opened. */
  readonly stored: SecretValues | undefined
}

/** The secrets that a new target needs again: those that are stored, and that the credential still takes. */
export const targetIssues = ({ before, after, given, stored }: Change): FieldIssue[] => {
  // Another type drops what is stored.
  if (!before.has_secret || after.type !== before.type || !isNewTarget(before, after)) return []
  const isLeft = (field: SecretField): boolean =>
    (stored === undefined || stored[field] !== undefined) && (given[field] === undefined || given[field] === MASK)
  // The keys of these are names of secrets.
  const fields = Object.keys(secretsOf(after)) as SecretField[]
  return fields
    .filter(isLeft)
    .map((field) => ({ field, message: 'is needed again, because the credential gets another device or network' }))
}
