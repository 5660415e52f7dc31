/** The errors of the NetBox API: 400 with the messages of each field, all others with one text. */
import { AppError, type ErrorCode, type FieldIssue, toErrorBody } from '../../contract/errors.ts'

/** An error with a body of its own. */
export class NetboxError extends AppError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly body: unknown,
    options: ConstructorParameters<typeof AppError>[2] = {},
  ) {
    super(code, message, options)
  }
}

/** Returns an error with one text. @example createDetail('NOT_FOUND', 'No Prefix matches the given query.') */
export const createDetail = (code: ErrorCode, detail: string, status?: number): NetboxError =>
  new NetboxError(code, detail, { detail }, status === undefined ? {} : { status })

export const createTooFewError = (): NetboxError =>
  createDetail('IP_NOT_AVAILABLE', 'Insufficient resources are available to satisfy the request')

/** Field -> messages. */
export type Messages = Readonly<Record<string, readonly string[]>>

/** The key of messages that are about no field. */
export const NO_FIELD = 'non_field_errors'

const toIssues = (messages: Messages): FieldIssue[] =>
  Object.entries(messages).flatMap(([field, texts]) => texts.map((message) => ({ field, message })))

const describeIssues = (issues: readonly FieldIssue[]): string =>
  issues.map(({ field, message }) => `${field}: ${message}`).join('; ')

/** Returns the 400 for invalid fields, by NetBox's names. */
export const refuseFields = (messages: Messages): NetboxError => {
  const details = toIssues(messages)
  return new NetboxError('VALIDATION_ERROR', describeIssues(details), messages, { details })
}

export const refuseField = (field: string, message: string): NetboxError => refuseFields({ [field]: [message] })

/** NetBox's name of a field by Plat's, such as `custom.owner`. Another part of a field counts as the field: `addresses[0].ip` is `addresses`. */
export type FieldNames = Readonly<Record<string, string>>

const rename = (names: FieldNames, field: string): string => {
  if (Object.hasOwn(names, field)) return names[field] ?? field
  const [name = field] = /^[^.[]+/.exec(field) ?? []
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name
}

/** Returns the message of an error below NetBox's name of its field. In `custom_fields` it names the custom field. */
export const tellMessage = ({ field, message }: FieldIssue, name: string): string => {
  const [, custom] = /(?:^|\.)custom\.([^.[]+)/.exec(field) ?? []
  return name === 'custom_fields' && custom !== undefined
    ? `Invalid value for custom field '${custom}': ${message}`
    : message
}

const groupMessages = (issues: readonly FieldIssue[], names: FieldNames): Messages => {
  const groups = Map.groupBy(issues, ({ field }) => rename(names, field))
  return Object.fromEntries(
    [...groups].map(([name, some]) => [name || NO_FIELD, some.map((issue) => tellMessage(issue, name))]),
  )
}

/** True if the error says which fields are wrong. A name that is taken is a 400 in NetBox. */
const isAboutFields = ({ code, status, details }: AppError): boolean =>
  details.length > 0 && (status === 400 || code === 'ALREADY_EXISTS')

/** Returns the text of an error without fields. */
const describe = ({ code, status }: AppError, message: string): string => {
  if (code === 'EXPIRED_KEY') return 'Token expired'
  if (status === 401) return 'Invalid token'
  if (code === 'FORBIDDEN') return `You do not have permission to perform this action. ${message}`
  if (code === 'NOT_FOUND') return 'Not found.'
  return code === 'INVALID_JSON' ? `JSON parse error - ${message}` : message
}

/** Returns status and body of any error. NetBox answers 403 where Plat answers 401. */
export const describeError = (error: AppError): { readonly status: number; readonly body: unknown } => {
  if (error instanceof NetboxError) return { status: error.status, body: error.body }
  const { details, error: message } = toErrorBody(error)
  if (isAboutFields(error)) return { status: 400, body: groupMessages(details, {}) }
  return { status: error.status === 401 ? 403 : error.status, body: { detail: describe(error, message) } }
}

/** Returns the body for an error of one object: in a list an empty object for each of the others. */
export const placeMessages = (messages: unknown, index: number, { isList, count }: ItemCount): unknown =>
  isList ? Array.from({ length: count }, (_, at) => (at === index ? messages : {})) : messages

/** The objects of a body. */
export type ItemCount = { readonly isList: boolean; readonly count: number }

/** Returns the error of one object with NetBox's names of its fields, at its place in a list. An error about no fields stays. */
export const placeError = (
  error: unknown,
  index: number,
  { names, ...count }: ItemCount & { readonly names: FieldNames },
) => {
  if (!(error instanceof AppError) || !isAboutFields(error)) return error
  const { code, message, details } = error
  const messages = error instanceof NetboxError ? error.body : groupMessages(toErrorBody(error).details, names)
  return new NetboxError(code, message, placeMessages(messages, index, count), { cause: error, details, status: 400 })
}
