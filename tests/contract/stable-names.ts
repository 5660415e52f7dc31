/** Replaces values that differ by chance: ids become `<id 1>` by their first appearance, so that references are still compared. */

/** Fields with secrets and digests of random values. */
const SECRET_FIELDS = new Set([
  ...[
    'key',
    'prefix',
    'key_prefix',
    'secret',
    'uri',
    'client_secret',
    'access_token',
    'refresh_token',
    'csrf_token',
    'device_code',
    'enrolment_token',
  ],
  ...['user_code', 'verification_uri_complete', 'hash', 'previous_hash', 'challenge', 'credential', 'recovery_codes'],
  'fingerprint',
])
/** Fields measured by a real clock or by the size of files. */
const MEASURED_FIELDS = new Set(['duration_ms', 'uptime_seconds'])
/** Fields that work beside the calls writes: the lanes of DNS zones and the deliveries of webhooks. */
const BACKGROUND_FIELDS = new Set(['attempts', 'next_retry', 'serial', 'server_serial', 'last_synced_at'])

/** PostgreSQL gives the time of a change by its own clock, which all instances share. */
const MOMENT_FIELDS = new Set(['at', 'as_of', 'begins_at'])
const BEGIN_OF_HISTORY = /(history begins, at )[\dTZ:.-]+/g

/** Secrets in the query of an address. */
const QUERY_SECRETS = /\b(state|nonce|code|code_challenge|id_token_hint|logout_hint)=[^&"\s]+/g
/** A WebAuthn user handle: the id of the user in base64url. */
const USER_HANDLE = /\bMD[\w-]{46}\b/g
const ZONE_SERIAL = /(\sSOA\s+\S+\s+\S+\s+)\d+/g

/** The fingerprint of a proposal in the recorded input of a call. */
const RECORDED_FINGERPRINT = /(\bfingerprint[\\":]+)[\w-]{22}(?![\w-])/g

const hideSecrets = (text: string): string =>
  text
    .replace(QUERY_SECRETS, '$1=<secret>')
    .replace(USER_HANDLE, '<handle>')
    .replace(BEGIN_OF_HISTORY, '$1<moment>')
    .replace(ZONE_SERIAL, '$1<serial>')
    .replace(RECORDED_FINGERPRINT, '$1<fingerprint>')

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

const listFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(listFields)
  if (typeof value !== 'object' || value === null) return ''
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, listFields(inner)]))
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the names in an answer of measurements: the fields of JSON, or the metrics that both engines have. */
export const describeMeasurements = (text: string): string => {
  const value = parseJson(text)
  if (value !== undefined) return JSON.stringify(listFields(value))
  return [...text.matchAll(/^# TYPE (?!db_).*$/gm)].map(([line]) => line).join('\n')
}

/** The names of one engine: the first id that it answers is `<id 1>`. */
export const createStableNames = () => {
  const ids = new Map<string, string>()
  const etags = new Map<string, string[]>()

  const moments = new Map<string, string>()
  const nameMoment = (moment: string): string => {
    if (moment === '') return ''
    const known = moments.get(moment) ?? `<moment ${moments.size + 1}>`
    moments.set(moment, known)
    return known
  }

  const replaceFields = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaceFields)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const isEmpty = inner === null || inner === '' || inner === undefined
        if (!isEmpty && typeof inner !== 'object' && SECRET_FIELDS.has(name)) return [name, '<secret>']
        if (Array.isArray(inner) && SECRET_FIELDS.has(name)) return [name, `<${inner.length} secrets>`]
        if (!isEmpty && BACKGROUND_FIELDS.has(name)) return [name, '<background>']
        if (typeof inner === 'number' && MEASURED_FIELDS.has(name)) return [name, '<measured>']
        if (typeof inner === 'string' && MOMENT_FIELDS.has(name)) return [name, nameMoment(inner)]
        return [name, replaceFields(inner)]
      }),
    )
  }

  const nameIds = (text: string): string =>
    text.replace(UUID, (id) => {
      const known = ids.get(id) ?? `<id ${ids.size + 1}>`
      ids.set(id, known)
      return known
    })

  return {
    nameText: (text: string): string => nameIds(hideSecrets(text)),
    nameMoment,
    /** Returns JSON with its fields in the order of the answer; other texts as they are. */
    nameBody: (text: string): string => {
      const lines = text.split('\n').map((line) => {
        const value = parseJson(line)
        return typeof value === 'object' && value !== null ? JSON.stringify(replaceFields(value)) : line
      })
      return nameIds(hideSecrets(lines.join('\n')))
    },
    /** Returns `<etag 2>` for the second tag that an address has had. */
    nameEtag: (address: string, etag: string | null): string | null => {
      if (etag === null) return null
      const known = etags.get(address) ?? []
      etags.set(address, known)
      if (!known.includes(etag)) known.push(etag)
      return `${etag.startsWith('W/') ? 'weak ' : ''}<etag ${known.indexOf(etag) + 1}>`
    },
  }
}
