/** Reads the recorded cases of the kinds: `kinds/<kind>/answers/<case>/answers.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { SOURCE_KINDS } from '../../kinds/index.ts'
import { KINDS } from '../../kinds/names.ts'
import type { Json, SourceKind } from '../../kinds/source-kind.ts'
import type { RecordedCase } from '../record.ts'

const FOLDER = join(import.meta.dirname, '../../kinds')
const MIN_SECRET = 8

const Value = z.custom<Json>((value) => value !== undefined)
const request = {
  method: z.enum(['GET', 'POST']),
  path: z.string().min(1),
  request: z.string().exactOptional(),
  status: z.int().min(100).max(599),
}
const common = { options: z.record(z.string(), z.unknown()), now: z.iso.datetime() }

/** The form that `plat source collect --record` writes. */
const Recorded = z.strictObject({
  ...common,
  url: z.string(),
  secrets: z.record(
    z.string(),
    z
      .string()
      .min(MIN_SECRET, `invent a secret of at least ${MIN_SECRET} characters, so that it is found where it leaks`),
  ),
  answers: z
    .array(
      z.union(
        [
          z.strictObject({ ...request, json: Value }),
          z.strictObject({ ...request, text: z.string() }),
          z.strictObject({ ...request, base64: z.base64() }),
        ],
        'must have method, path and status, perhaps request, and the body as one of json, text and base64',
      ),
    )
    .min(1),
})

/** The snapshot of a kind that sends no requests. */
const Pushed = z.strictObject({ ...common, snapshot: Value })
export type PushedCase = z.infer<typeof Pushed>

export type Case = {
  /** As `docker podman-4.3`. */
  readonly title: string
  readonly kind: SourceKind
  readonly folder: string
  readonly content: RecordedCase | PushedCase
}

/** @throws Error naming the file and the member that is wrong */
export const parseCase = (file: string, text: string): RecordedCase | PushedCase => {
  try {
    const value: unknown = JSON.parse(text)
    const isPushed = typeof value === 'object' && value !== null && 'snapshot' in value
    return isPushed ? Pushed.parse(value) : Recorded.parse(value)
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new Error(`${file}: ${problem}`, { cause: error })
  }
}

const listCases = (kind: SourceKind): Case[] => {
  const answers = join(FOLDER, kind.kind, 'answers')
  if (!existsSync(answers)) return []
  return readdirSync(answers).map((name) => {
    const folder = join(answers, name)
    const file = join(folder, 'answers.json')
    const content = parseCase(relative(process.cwd(), file), readFileSync(file, 'utf8'))
    return { title: `${kind.kind} ${name}`, kind, folder, content }
  })
}

export const listAllCases = (): Case[] => KINDS.flatMap((name) => SOURCE_KINDS[name] ?? []).flatMap(listCases)

export const isFetched = <C extends Pick<Case, 'content'>>(one: C): one is C & { readonly content: RecordedCase } =>
  'answers' in one.content

export const isPushed = <C extends Pick<Case, 'content'>>(one: C): one is C & { readonly content: PushedCase } =>
  'snapshot' in one.content
