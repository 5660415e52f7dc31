/** Builds the web UI into a folder, with hashed and compressed assets under /static/. Run by scripts/web.mjs. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, type Plugin, type Rolldown } from 'vite'
import { contracts } from '../src/app/contracts.ts'
import { isSecretName } from '../src/base/runtime/redaction.ts'
import { canPropose } from '../src/contract/can-propose.ts'
import { toSingular } from '../src/contract/command-name.ts'
import { isFieldOfCall } from '../src/contract/fields/history-fields.ts'
import { KEY_HEADER } from '../src/contract/idempotency-key.ts'
import { getElementSchema, getInputSchema, getKind, listChoices, stripNull } from '../src/contract/input-schema.ts'
import type { AnyOperation } from '../src/kernel/operation.ts'
import { EVENT_NAMES } from '../src/record/events/catalogue.ts'
import type { ResourceFacts } from '../src/resource/facts.ts'
import { COMMANDS, FILE_GROUPS } from './file-groups.ts'
import { buildHelp } from './help.ts'
import { MOVED, PAGES } from './src/pages.ts'
import { LOGIN } from './src/paths.ts'

const ROOT = import.meta.dirname
const OPERATIONS = 'virtual:operations'

/** Returns the parts of operations that the browser needs: route and headers. Schemas and Zod stay on the server. */
const operations = (): Plugin => ({
  name: 'plat-operations',
  resolveId: (id) => (id === OPERATIONS ? `\0${OPERATIONS}` : undefined),
  load: (id) => {
    if (id !== `\0${OPERATIONS}`) return undefined
    // Most operations have the same facts beside their route, which stand in the file once.
    const kinds = new Map<string, string>()
    const toCall = (op: AnyOperation): string => {
      const { http, headers = {}, inQuery, supportsAsOf, access } = op
      // The pages send their keys as headers.
      const { [KEY_HEADER]: _, ...fromFields } = headers
      const facts = JSON.stringify({ headers: fromFields, inQuery, supportsAsOf })
      const maker = kinds.get(facts) ?? `make${kinds.size}`
      kinds.set(facts, maker)
      const needs = canPropose(op) && typeof access === 'string' ? `,${JSON.stringify(access)}` : ''
      return `${maker}(${JSON.stringify(http)}${needs})`
    }
    const toMembers = (members: readonly (readonly [string, string])[]): string =>
      `{${members.map(([name, code]) => `${JSON.stringify(name)}:${code}`).join()}}`
    const all = toMembers(
      Object.entries(contracts).map(([feature, set]) => [
        feature,
        toMembers(Object.entries(set).map(([verb, op]: [string, AnyOperation]) => [verb, toCall(op)])),
      ]),
    )
    const makers = [...kinds].map(
      ([facts, maker]) => `const ${maker} = (http, access) => ({ http, access, ...${facts} })`,
    )
    return [...makers, `export const contracts = ${all}`].join('\n')
  },
})

/** Returns the facts that a command line needs as well: its words, the filters of lists, and the secret fields. */
const commandFacts = ({ name: operation, cli, effect, input }: AnyOperation) => {
  const fields = Object.entries(getInputSchema(input).properties ?? {})
  const described = fields.map(([name, schema]) => {
    const one = getElementSchema(schema) ?? schema
    const facts = { ref: stripNull(one).ref, choices: listChoices(one), isNumber: getKind(one) === 'number' }
    return [name, { ...facts, isList: getElementSchema(schema) !== undefined }]
  })
  return {
    name: operation,
    cli: cli && { command: cli.command, args: cli.args },
    fields: Object.fromEntries(effect === 'read' ? described : []),
    secrets: fields.flatMap(([name]) => (isSecretName(name) && !isFieldOfCall(name) ? [name] : [])),
  }
}

const commands = (): Plugin => ({
  name: 'plat-commands',
  resolveId: (id) => (id === COMMANDS ? `\0${COMMANDS}` : undefined),
  load: (id) => {
    if (id !== `\0${COMMANDS}`) return undefined
    const all = Object.values(contracts).flatMap((set): AnyOperation[] => Object.values(set))
    return `export const commands = ${JSON.stringify(Object.fromEntries(all.map((op) => [op.http, commandFacts(op)])))}`
  },
})

/** Facts of a resource, and of a field, that no page reads: they are for the server and the command line. */
const SERVER_FACTS = new Set([
  'schema',
  'summaries',
  'args',
  'mcp',
  'sorts',
  'scope',
  'operators',
  'plural',
  'within',
  'apart',
  'search',
  'eventTexts',
  'isOptional',
  'refreshedBy',
])
const SERVER_RANKS = new Set(['events', 'custom', 'search'])
const SERVER_FIELD_FACTS = new Set(['answer', 'rule', 'onDelete', 'trim'])
const FACTS_FILE = /\/src\/inventory\/[\w-]+\/resource\.ts$/
const omit = (facts: object, names: ReadonlySet<string>): [string, unknown][] =>
  Object.entries(facts).filter(([name]) => !names.has(name))

const omitFieldFacts = (fields: Readonly<Record<string, object>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, facts]) => [name, Object.fromEntries(omit(facts, SERVER_FIELD_FACTS))]),
  )

const FIELDS = new Set(['fields', 'laterFields', 'computed'])

const toBrowserFacts = (facts: ResourceFacts): unknown =>
  Object.fromEntries(
    omit(facts, SERVER_FACTS).map(([key, value]) => [
      key,
      // The values of these facts are members by their names.
      FIELDS.has(key)
        ? omitFieldFacts(value as Readonly<Record<string, object>>)
        : key === 'ranks'
          ? Object.fromEntries(omit(value as object, SERVER_RANKS))
          : value,
    ]),
  )

/** Files with constants that are computed from the facts of all resources. */
const EVALUATED = [
  'web/src/resource/facts/names.ts',
  'web/src/live/keys.ts',
  'web/src/resource/form/referred-facts.ts',
].map((path) => join(dirname(ROOT), path))

/** Evaluates files of constants. The first page has neither the facts that they are computed from, nor facts that no page reads. */
const evaluated = (): Plugin => ({
  name: 'plat-evaluated',
  enforce: 'pre',
  load: async (id) => {
    const isFacts = FACTS_FILE.test(id)
    if (!isFacts && !EVALUATED.includes(id)) return undefined
    const constants: Readonly<Record<string, ResourceFacts>> = await import(id)
    return Object.entries(constants)
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(isFacts ? toBrowserFacts(value) : value)}`)
      .join('\n')
  },
})

const FIRST_FONT = 'src/styles/fonts/inter.woff2'

const head = (): Plugin => ({
  name: 'plat-head',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) => {
      const isFont = (one: Rolldown.OutputBundle[string]) =>
        one.type === 'asset' && one.originalFileNames.includes(FIRST_FONT)
      const font = Object.values(bundle).find(isFont)?.fileName
      if (font === undefined) throw new Error('the build has no font')
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/static/${font}` }
      return [{ tag: 'link', attrs, injectTo: 'head' }]
    },
  },
})

/** Puts the styles of each lazy file into the file: a file of their own would cost each page a request, or several. */
const lazyStyles = (): Plugin => ({
  name: 'plat-lazy-styles',
  generateBundle: {
    order: 'pre',
    handler: (_, bundle) => {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || chunk.isEntry) continue
        const styles = chunk.viteMetadata?.importedCss ?? new Set()
        for (const name of styles) {
          const { [name]: asset } = bundle
          if (asset?.type !== 'asset')
            throw new Error(`${chunk.fileName} names the styles ${name}, which are not there`)
          const text = JSON.stringify(String(asset.source).replace(/\n.*$/s, ''))
          chunk.code += `;{let s=new CSSStyleSheet;s.replaceSync(${text});document.adoptedStyleSheets.push(s)}`
          delete bundle[name]
        }
        styles.clear()
      }
    },
  },
})

/** Fails if the browser would load Zod: the values that it needs of contracts are generated. */
const withoutZod = (): Plugin => ({
  name: 'plat-without-zod',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk' && chunk.moduleIds.some((id) => id.includes('/node_modules/zod/')))
        throw new Error(`${chunk.fileName} contains Zod`)
  },
})

for (const path of EVALUATED) if (!existsSync(path)) throw new Error(`web/build.ts names ${path}, which does not exist`)

const COMPRESSED = /\.(js|css|svg)$/

const compressAll = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (!COMPRESSED.test(name)) continue
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

const WRITES = Object.values(contracts)
  .flatMap((set): AnyOperation[] => Object.values(set))
  .filter(({ http }) => !http.startsWith('GET'))
/** The kinds of objects in the audit log. Signing in and out are not operations. */
const AUDITED = [
  ...new Set([...WRITES.map(({ name }) => toSingular(name.slice(0, name.indexOf('.')))), 'session']),
].sort()

const paths = [LOGIN, ...Object.keys(PAGES), ...Object.keys(MOVED)]

const [, , folder] = process.argv
// The folder is emptied, so it is never the current one by default.
if (!folder) throw new Error('name the output folder, which is emptied: bun web/build.ts <folder>')
const outDir = resolve(folder)
await build({
  root: ROOT,
  configFile: false,
  base: '/static/',
  mode: 'production',
  logLevel: 'warn',
  publicDir: false,
  plugins: [react(), operations(), commands(), evaluated(), head(), lazyStyles(), withoutZod()],
  define: {
    __EVENT_NAMES__: JSON.stringify(EVENT_NAMES),
    __AUDITED__: JSON.stringify(AUDITED),
  },
  worker: { format: 'es' },
  build: {
    outDir,
    emptyOutDir: true,
    // The content security policy permits no data: URI.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      // `operation.ts` names schemas there, which the browser does not use.
      treeshake: { moduleSideEffects: [{ test: /\/src\/contract\//, sideEffects: false }] },
      output: {
        codeSplitting: {
          groups: FILE_GROUPS,
        },
      },
    },
  },
})
// For the server, which answers 404 at any other path.
writeFileSync(join(outDir, 'paths.json'), JSON.stringify(paths))
buildHelp(outDir)
compressAll(join(outDir, 'assets'))
