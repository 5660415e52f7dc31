/** Decides when a change sends a credential's secrets to another target, and which are required again. */
import type { FieldIssue } from '../../contract/errors.ts'
import type { Credential, SecretField } from './api.ts'
import { getSecretNeeds, type SecretValues } from './secret-fields.ts'

type Target = Pick<Credential, 'device_id' | 'network_id'>

/**
 * Checks that `after` is tried on devices where `before` was not. Without a device and a network it is tried nowhere.
 * A credential with both is tried on the device only, so without the device it covers the whole network.
 */
export const isNewTarget = (before: Target, after: Target): boolean => {
  const isOtherDevice = after.device_id !== null && after.device_id !== before.device_id
  const isOtherNetwork = after.network_id !== null && after.network_id !== before.network_id
  const isWider = before.device_id !== null && after.device_id === null && after.network_id !== null
  return isOtherDevice || isOtherNetwork || isWider
}

/** Counts as no secret: other answers show it in place of one. */
const MASK = '***'

type Change = {
  readonly before: Credential
  readonly after: Credential
  /** The secrets of the request; an empty text clears. */
  readonly given: Readonly<Partial<Record<SecretField, string | undefined>>>
  /** The stored secrets; undefined if they cannot be opened. */
  readonly stored: SecretValues | undefined
}

/** Returns the issues for stored secrets that a new target requires again. */
export const checkTarget = ({ before, after, given, stored }: Change): FieldIssue[] => {
  // Another type deletes the stored secrets.
  if (!before.has_secret || after.type !== before.type || !isNewTarget(before, after)) return []
  const isLeft = (field: SecretField): boolean =>
    (stored === undefined || stored[field] !== undefined) && (given[field] === undefined || given[field] === MASK)
  // The keys are names of secrets.
  const fields = Object.keys(getSecretNeeds(after)) as SecretField[]
  return fields
    .filter(isLeft)
    .map((field) => ({ field, message: 'is needed again, because the credential gets another device or network' }))
}
