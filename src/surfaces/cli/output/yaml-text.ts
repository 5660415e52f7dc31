/** Writes answers as YAML, fast for long lists and without characters that affect a terminal. */
import { HIDDEN } from '../../../contract/fields/hidden-characters.ts'

const CHUNK = 1000
/** Bun's own writer escapes the C0 controls but not these. Inside quotes YAML has an escape for each. */
const HOSTILE = new RegExp(`[\\x7f-\\x9f${HIDDEN}]`, 'u')
const EVERY_HOSTILE = new RegExp(HOSTILE, 'gu')

/** Slow (100,000 devices take 14 s, Bun's writer takes 1 s), but it shows which scalars are quoted. */
const carefully = async (value: unknown): Promise<string> => {
  const { Document, isScalar, visit } = await import('yaml')
  const document = new Document(value)
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && HOSTILE.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  // Width 0: folding would add significant line feeds.
  return document
    .toString({ lineWidth: 0 })
    .replace(EVERY_HOSTILE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const quickly = (value: unknown): string => `${Bun.YAML.stringify(value, null, 2).trimEnd()}\n`

const isHarmless = (value: unknown): boolean => {
  if (typeof value === 'string') return !HOSTILE.test(value)
  if (Array.isArray(value)) return value.every(isHarmless)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => !HOSTILE.test(key) && isHarmless(inner))
}

const formatYaml = (value: unknown): Promise<string> =>
  isHarmless(value) ? Promise.resolve(quickly(value)) : carefully(value)

export async function* streamYaml(value: unknown): AsyncGenerator<string> {
  if (!Array.isArray(value) || value.length === 0) {
    yield await formatYaml(value)
    return
  }
  for (let at = 0; at < value.length; at += CHUNK) yield await formatYaml(value.slice(at, at + CHUNK))
}
