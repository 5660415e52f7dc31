/** The fields of each type of credential, and the packing of its secrets into the one text that is sealed. */
import type { FieldIssue } from '../../contract/errors.ts'
import { type Credential, type CredentialType, SECRET_FIELDS, type SecretField } from './api.ts'

/** The secret fields that are set. */
export type SecretValues = Readonly<Partial<Record<SecretField, string>>>

/** The fields that decide which secrets are required. */
export type Form = Pick<Credential, 'type' | 'username' | 'auth_protocol' | 'priv_protocol'>

type Need = 'required' | 'optional'

export const hasUsername = (type: CredentialType): boolean => type !== 'snmp_v2c'

/** Returns the secret fields that a credential of this form takes. */
export const getSecretNeeds = ({ type, auth_protocol, priv_protocol }: Form): Partial<Record<SecretField, Need>> => {
  switch (type) {
    case 'ssh_password':
      return { password: 'required' }
    case 'ssh_key':
      return { private_key: 'required', passphrase: 'optional' }
    case 'snmp_v2c':
      return { community: 'required' }
    case 'snmp_v3':
      return {
        ...(auth_protocol !== 'none' && { auth_password: 'required' }),
        ...(priv_protocol !== 'none' && { priv_password: 'required' }),
      }
  }
}

const buildForeignIssue = (field: string, type: CredentialType): FieldIssue => ({
  field,
  message: `does not belong to the type ${type}`,
})

/** Returns the issues of the fields that are not secret. */
export const checkForm = ({ type, username, auth_protocol, priv_protocol }: Form): FieldIssue[] => {
  const issues: FieldIssue[] = []
  if (hasUsername(type) && username === '')
    issues.push({ field: 'username', message: `is required for the type ${type}` })
  if (!hasUsername(type) && username !== '') issues.push(buildForeignIssue('username', type))
  if (type !== 'snmp_v3') {
    if (auth_protocol !== 'none') issues.push(buildForeignIssue('auth_protocol', type))
    if (priv_protocol !== 'none') issues.push(buildForeignIssue('priv_protocol', type))
  } else if (priv_protocol !== 'none' && auth_protocol === 'none') {
    // RFC 3411 section 3.4.3: no security level has privacy without authentication.
    issues.push({ field: 'priv_protocol', message: 'needs an auth_protocol' })
  }
  return issues
}

const PROTOCOL_OF: Partial<Record<SecretField, 'auth_protocol' | 'priv_protocol'>> = {
  auth_password: 'auth_protocol',
  priv_password: 'priv_protocol',
}

const checkSecretField = (field: SecretField, form: Form, isGiven: boolean): FieldIssue | undefined => {
  const need = getSecretNeeds(form)[field]
  const protocol = PROTOCOL_OF[field]
  if (!isGiven && need === 'required')
    return {
      field,
      message: `is required for ${protocol ? `the ${protocol} ${form[protocol]}` : `the type ${form.type}`}`,
    }
  if (!isGiven || need) return undefined
  return protocol && form.type === 'snmp_v3'
    ? { field, message: `needs a ${protocol}` }
    : buildForeignIssue(field, form.type)
}

/** Returns the issues for missing secrets, and for secrets that do not belong to this form. */
export const checkSecrets = (form: Form, values: SecretValues): FieldIssue[] =>
  SECRET_FIELDS.flatMap((field) => checkSecretField(field, form, Boolean(values[field])) ?? [])

/** Returns the non-empty values, in the order of the contract. */
export const filterPresent = (values: SecretValues): SecretValues =>
  Object.fromEntries(SECRET_FIELDS.flatMap((field) => (values[field] ? [[field, values[field]]] : [])))

/** Returns the text to seal; undefined for a credential without secrets. */
export const serializeSecrets = (values: SecretValues): string | undefined => {
  const present = filterPresent(values)
  return Object.keys(present).length === 0 ? undefined : JSON.stringify(present)
}

/** @example parseSecrets('{"password":"x"}') // { password: 'x' } */
export const parseSecrets = (text: string): SecretValues =>
  // `serializeSecrets` wrote the sealed text, and only the holder of the key could change it.
  JSON.parse(text) as SecretValues
