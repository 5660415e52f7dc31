/** Refuses query parameters that a route does not know. An ignored parameter would answer or delete more than was asked for. */
import { z } from 'zod'
import { buildCoercion, type Coercion, NEVER_EMPTY, recordEntry } from '../../contract/coerce.ts'
import { type FieldIssue, rejectIssues } from '../../contract/errors.ts'
import { NO_FIELD, PROTO } from '../../contract/own.ts'
import { formatSuggestion } from '../../contract/suggest.ts'

export type KnownQuery = {
  readonly names: ReadonlySet<string>
  /** Tells which names are records. Their entries are separate parameters: `custom.owner`. */
  readonly coercion: Coercion
}

/** The parts of a request that this reads. */
type Target = { readonly path: string; readonly search: string }

/** The error of `proposal` at a route without it. */
export const NOT_PROPOSABLE = 'is not possible here: it is no write that can be proposed'

/** Errors of fields that other routes have. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['as_of', 'is not possible here: this has no past'],
  ['dry_run', 'is not possible here'],
  ['proposal', NOT_PROPOSABLE],
])

/** Errors of parameters that are there without a value. */
const EMPTY: ReadonlyMap<string, string> = new Map([
  ['dry_run', 'must be true or false'],
  ['proposal', 'must be draft, open, or the id or number of a proposal'],
])

/** Errors of parameters that are there twice. Of others the last one counts. */
const TWICE: ReadonlyMap<string, string> = new Map([['proposal', 'is there twice: a write is added to one proposal']])

/** Returns the error of the values of a known parameter. */
const checkValues = (name: string, texts: readonly string[]): string | undefined => {
  if (NEVER_EMPTY.has(name) && texts.includes('')) return EMPTY.get(name) ?? 'must not be empty'
  return texts.length > 1 ? TWICE.get(name) : undefined
}

const checkName = (name: string, { names, coercion }: KnownQuery): string | undefined => {
  if (names.has(name)) return undefined
  const entry = recordEntry(coercion, name)
  // Schemas drop the key, so that it would filter nothing.
  if (entry && names.has(entry.record)) return entry.key === PROTO ? NO_FIELD : undefined
  return ELSEWHERE.get(name) ?? `is not a parameter here${formatSuggestion(name, names)}`
}

/**
 * Paths outside of `/api/` take any parameter.
 * @throws AppError VALIDATION_ERROR naming each unknown parameter, an empty `dry_run` or `proposal`, or a second `proposal`
 */
export const refuseUnknownQuery = ({ path, search }: Target, known: KnownQuery): void => {
  if (search.length < 2 || !path.startsWith('/api/')) return
  const issues: FieldIssue[] = []
  const query = new URLSearchParams(search)
  for (const name of new Set(query.keys())) {
    const message = checkName(name, known) ?? checkValues(name, query.getAll(name))
    if (message !== undefined) issues.push({ field: name, message })
  }
  rejectIssues(issues)
}

const NO_FIELDS = z.object({})
const takesAnything = ({ def }: z.ZodObject): boolean => def.catchall instanceof z.ZodUnknown

/** Like `refuseUnknownQuery`, for a raw route. A schema that is a loose object takes any parameter except `ELSEWHERE`. */
export const refuseUnknownRawQuery = (context: Target, schema: z.ZodObject = NO_FIELDS): void => {
  if (context.search === '') return
  const names = new Set(Object.keys(schema.shape))
  if (takesAnything(schema))
    for (const name of new URLSearchParams(context.search).keys()) if (!ELSEWHERE.has(name)) names.add(name)
  refuseUnknownQuery(context, { names, coercion: buildCoercion(schema) })
}
