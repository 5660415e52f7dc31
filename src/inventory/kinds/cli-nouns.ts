/** A kind as a noun of the command line: `plat circuit list` is `plat object list` of that kind. Loaded if the first word is no command. */
import { getCommandWords, toFlagName, toSingular } from '../../contract/command-name.ts'
import { isKindId } from '../../contract/fields/kind-id.ts'
import { getInputSchema } from '../../contract/input-schema.ts'
import { type AnyOperation, listPermissions } from '../../kernel/operation.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import { call } from '../../surfaces/cli/connection/client.ts'
import { execute } from '../../surfaces/cli/execute.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import {
  type Command,
  createFlag,
  type Flag,
  type ServerNouns,
  type Spec,
  type Texts,
} from '../../surfaces/cli/parse/command.ts'
import { GLOBAL_FLAGS } from '../../surfaces/cli/parse/globals.ts'
import { listOperations, OBJECTS } from '../../surfaces/cli/parse/names.ts'
import { buildSpec, UNSET_FIELD } from '../../surfaces/cli/parse/operation-spec.ts'
import { isResource } from '../resources.ts'
import { type Kind, kinds } from './api.ts'
import { toKindId } from './names.ts'

/** The longest wait for the kinds, in ms. */
const TIMEOUT_MS = 5000

/** The beginning of the fields of texts that are values of custom fields. No field of a contract begins with it. */
const CUSTOM = '@custom.'

type Asked = Parameters<ServerNouns['find']>[0]

/** Returns the kinds of the server; none if it cannot be asked. */
const findKinds = async ({ connect }: Asked, include: 'fields'[]): Promise<readonly Kind[]> => {
  try {
    const { transport } = await connect()
    return await call(transport, kinds.list, { include }, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch {
    // Without an answer the word is unknown, as it is without kinds.
    return []
  }
}

const getSingularWord = ({ singular }: Kind): string => toKindId(singular)

const HINTS: Readonly<Partial<Record<CustomField['type'], string>>> = {
  integer: 'NUMBER',
  number: 'NUMBER',
  date: 'DATE',
  url: 'URL',
  ip: 'ADDRESS',
}

const formatBounds = ({ type, minimum, maximum, unique }: CustomField): string => {
  const bounds = [minimum === null ? '' : `at least ${minimum}`, maximum === null ? '' : `at most ${maximum}`]
  const next = type === 'integer' && unique ? 'or next' : ''
  return [type === 'reference' ? 'id or name' : '', ...bounds, next].filter((text) => text !== '').join('; ')
}

const getTarget = (target: string) => (isResource(target) ? { ref: target } : { ref: OBJECTS, kind: target })

const buildFieldFlag = (field: CustomField): Flag => {
  const { name, label, description, type, choices, multiple, reference_to } = field
  const about = [label, description].filter((text) => text !== '').join(': ')
  const isSwitch = type === 'boolean'
  return {
    ...createFlag(toFlagName(name), toPrintable(about)),
    field: `${CUSTOM}${name}`,
    bounds: formatBounds(field),
    choices: choices.map(toPrintable),
    ...(reference_to !== null && getTarget(reference_to)),
    isSwitch,
    isList: multiple,
    hint: isSwitch
      ? ''
      : (HINTS[type] ?? (type === 'choice' ? 'CHOICE' : toSingular(reference_to ?? 'text').toUpperCase())),
  }
}

/** Returns the fields of the inputs of objects that do not apply to a kind. */
const listForeignFields = ({ nested, located }: Kind): readonly string[] => [
  'kind_id',
  ...(nested ? [] : ['parent_id', 'within']),
  ...(located ? [] : ['datacenter_id']),
]

const buildKindSpec = (op: AnyOperation, kind: Kind): Spec => {
  const foreign = listForeignFields(kind)
  const isForeign = (field: string): boolean => foreign.includes(field)
  const spec = buildSpec(op)
  const own = spec.flags
    .filter(({ field }) => !isForeign(field))
    .map((flag) =>
      flag.field === UNSET_FIELD
        ? { ...flag, choices: flag.choices.filter((one) => !foreign.some((field) => toFlagName(field) === one)) }
        : flag,
    )
  const taken = new Set([...own, ...GLOBAL_FLAGS].flatMap(({ names }) => names))
  const hasValues = 'custom' in (getInputSchema(op.input).properties ?? {})
  const fields = hasValues ? (kind.fields ?? []).map(buildFieldFlag) : []
  return {
    args: spec.args.filter(({ field }) => !isForeign(field)),
    flags: [...fields.filter(({ names }) => !names.some((name) => taken.has(name))), ...own],
  }
}

/** Returns the texts with the values of custom fields as texts of `--custom`. */
const toOperationTexts = (op: AnyOperation, kind: Kind, texts: Texts): Texts => {
  const { properties = {} } = getInputSchema(op.input)
  const made = new Map([...texts].filter(([field]) => !field.startsWith(CUSTOM)))
  const values = [...texts].flatMap(([field, given]) =>
    field.startsWith(CUSTOM) ? `${field.slice(CUSTOM.length)}=${given.join(';')}` : [],
  )
  const typed = texts.get(UNSET_FIELD) ?? []
  const toField = (word: string) => kind.fields?.find(({ name }) => name === word.replaceAll('-', '_'))
  const isOwn = (word: string) => Object.hasOwn(properties, word.replaceAll('-', '_'))
  const cleared = typed.flatMap((word) => (isOwn(word) ? [] : (toField(word)?.name ?? [])))
  const unset = typed.filter((word) => isOwn(word) || toField(word) === undefined)
  if (unset.length > 0) made.set(UNSET_FIELD, unset)
  else made.delete(UNSET_FIELD)
  const custom = [...(texts.get('custom') ?? []), ...values, ...cleared.map((name) => `${name}=`)]
  if (custom.length > 0) made.set('custom', custom)
  // An update never changes the kind.
  if (op.effect !== 'update' && Object.hasOwn(properties, 'kind_id')) made.set('kind_id', [kind.id])
  return made
}

/** Returns a name as it stands within a sentence: `AS number` stays, `Circuit` is `circuit`. */
const toInner = (name: string): string => (/^\p{Lu}\p{Ll}/u.test(name) ? name[0]?.toLowerCase() + name.slice(1) : name)

const formatSummary = ({ name, summary }: AnyOperation, kind: Kind): string => {
  const [plural, singular] = [toInner(kind.name), toInner(kind.singular)]
  const article = /^[aeiou]/i.test(singular) ? 'an' : 'a'
  const [, verb = ''] = name.split('.')
  const texts: Readonly<Record<string, string>> = {
    list: `List ${plural}, by name`,
    create: `Create ${article} ${singular}`,
    get: `Show ${article} ${singular}`,
    update: `Change some fields of ${article} ${singular}`,
    delete: `Delete ${article} ${singular}`,
    history: `List the changes of ${article} ${singular}, newest first`,
    references: `Count what refers to ${article} ${singular}, by field`,
  }
  return toPrintable(texts[verb] ?? summary)
}

const buildCommand = (op: AnyOperation, kind: Kind, word: string): Command => {
  const [, ...verb] = getCommandWords(op)
  const spec = buildKindSpec(op, kind)
  return {
    words: [word, ...verb],
    summary: formatSummary(op, kind),
    notes: [`Route:  ${op.http}`, `Needs:  ${listPermissions(op.access).join(' or ')}`],
    spec: () => spec,
    run: (session, texts) => execute(session, { op, spec, texts: toOperationTexts(op, kind, texts), kind: kind.id }),
  }
}

export const findNoun: ServerNouns['find'] = async (asked, word) => {
  if (!isKindId(word)) return []
  const all = await findKinds(asked, ['fields'])
  // The id of one kind may be the singular of another.
  const kind = all.find(({ id }) => id === word) ?? all.find((one) => getSingularWord(one) === word)
  if (!kind) return []
  const operations = listOperations(await asked.program.contracts(), OBJECTS)
  return operations.filter(({ isBulk }) => !isBulk).map((op) => buildCommand(op, kind, word))
}

export const listNouns: ServerNouns['list'] = async (asked) =>
  (await findKinds(asked, [])).flatMap((kind) => [getSingularWord(kind), kind.id]).filter((word) => word !== '')
