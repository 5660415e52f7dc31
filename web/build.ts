/** Builds the web UI into a folder, with hashed and compressed assets under /static/. Run by scripts/web.mjs. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, type Plugin, type Rolldown } from 'vite'
import { contracts } from '../src/app/contracts.ts'
import { isSecretName } from '../src/base/runtime/redaction.ts'
import { toSingular } from '../src/contract/command-name.ts'
import { isFieldOfCall } from '../src/contract/fields/history-fields.ts'
import { KEY_HEADER } from '../src/contract/idempotency-key.ts'
import { getElementSchema, getInputSchema, getKind, listChoices, stripNull } from '../src/contract/input-schema.ts'
import type { AnyOperation } from '../src/kernel/operation.ts'
import { EVENT_NAMES } from '../src/record/events/catalogue.ts'
import type { ResourceFacts } from '../src/resource/facts.ts'
import { MOVED, PAGES } from './src/pages.ts'
import { LOGIN } from './src/paths.ts'

const ROOT = import.meta.dirname
const OPERATIONS = 'virtual:operations'
const COMMANDS = 'virtual:commands'

/** Returns the parts of operations that the browser needs: route and headers. Schemas and Zod stay on the server. */
const operations = (): Plugin => ({
  name: 'plat-operations',
  resolveId: (id) => (id === OPERATIONS ? `\0${OPERATIONS}` : undefined),
  load: (id) => {
    if (id !== `\0${OPERATIONS}`) return undefined
    // Most operations have the same facts beside their route, which stand in the file once.
    const kinds = new Map<string, string>()
    const toCall = ({ http, headers = {}, inQuery, supportsAsOf }: AnyOperation): string => {
      // The pages send their keys as headers.
      const { [KEY_HEADER]: _, ...fromFields } = headers
      const facts = JSON.stringify({ headers: fromFields, inQuery, supportsAsOf })
      const maker = kinds.get(facts) ?? `make${kinds.size}`
      kinds.set(facts, maker)
      return `${maker}(${JSON.stringify(http)})`
    }
    const toMembers = (members: readonly (readonly [string, string])[]): string =>
      `{${members.map(([name, code]) => `${JSON.stringify(name)}:${code}`).join()}}`
    const all = toMembers(
      Object.entries(contracts).map(([feature, set]) => [
        feature,
        toMembers(Object.entries(set).map(([verb, op]: [string, AnyOperation]) => [verb, toCall(op)])),
      ]),
    )
    const makers = [...kinds].map(([facts, maker]) => `const ${maker} = (http) => ({ http, ...${facts} })`)
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
/** The facts of all resources, and the rows of lists, which most files of pages need, and the first one not. */
const ALL_LISTS =
  /\/src\/(inventory\/resources|resource\/nouns)\.ts$|\/web\/src\/(resource\/facts\/menu-order|datacenters\/fields|networks\/subnet-key|table\/(engine|view|use-paged-view))\.ts$/
/** The pages of devices are in the first file. */
const LATER_FACTS = /\/src\/inventory\/(?!devices)[\w-]+\/resource\.ts$/

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
const EVALUATED = ['web/src/resource/facts/names.ts', 'web/src/live/keys.ts'].map((path) => join(dirname(ROOT), path))

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

/** Folders with one file of pages each, loaded when they are opened. Pages of the first file are excluded in routes.tsx. */
const FIRST_FOLDERS = ['devices', 'overview']
const PAGE_FOLDERS = [...Object.values(PAGES), 'login/', 'oauth/'].map((file) => file.split('/')[0] ?? '')
const LAZY_FOLDERS = [...new Set(PAGE_FOLDERS), 'commands', 'lookup', 'utilization'].filter(
  (one) => !FIRST_FOLDERS.includes(one),
)

const LAZY = new RegExp(
  String.raw`/web/src/((${LAZY_FOLDERS.join('|')})/(?!resource|fields|active-|known-|lazy-|layout\.worker|command-menu|subnet-key|zones-query|options\.|has-passkeys)|overview/attention|shell/key-sheet|views/view-dialogs|live/(apply|follow-feed|keys)|devices/(bulk/(bulk-bar|bulk-dialog|bulk-field)|relate-dialog|relationships-tab|addresses-tab|form/(device-drawer|address-f))|resource/(object/delete-confirm|build-resource|declared|owned-resource|reference-control|resource-form)|ui/combobox\.tsx)`,
)

/** Pages of users and permissions. */
const ACCESS = /\/web\/src\/(access|account)\//

/** Parts of the pages of users and ports that others have too: a separate file would cost each of them a request. */
const PARTS =
  /\/web\/src\/(connect\/code-block|access\/(access\.module|secret-field|queries)|ports\/(fields|range|labels))\./

/** The pages of zones and of feeds, which share the choice of devices. */
const DNS = /\/web\/src\/(dns|feeds)\//

/** Parts of lists that the first pages lack. */
const LISTS =
  /\/web\/src\/(resource\/(batch|build-resource|change-dialog|list-page|owned-resource|row-menu)|pools\/(fields|resource)|reservations\/(fields|resource)|table\/(local-table|time-column)|ui\/(switch|use-settled))\./

/** Pages of networks, and what other pages show of them. */
const NETWORKS = /\/web\/src\/(datacenters|networks|vlans)\/|\/src\/inventory\/vlans\//

/** Dialogs of networks, loaded when they are opened. */
const PLANNING =
  /\/web\/src\/networks\/(space-(tab|bar)|planning\/((subnet|split|merge)-dialog|planning-queries|length-slider|moved-text))/

/** The pages of address spaces and VLANs. */
const SPACES = /\/web\/src\/(spaces\/|vlans\/(vlans-page|unnamed|vlans\.module))/

const POOLS = /\/web\/src\/(pools|reservations)\//

const UTILIZATION = /\/web\/src\/utilization\//

/** The form of every resource, which the pages load when they are quiet. */
const FORMS = /\/web\/src\/(resource\/resource-form|ui\/combobox)\.tsx/

/** Values of custom fields in forms, lists and details. */
const CUSTOM = /\/web\/src\/custom-fields\/(?!known-|custom-fields-page|field-list|definition-(?!s)|delete-field|order)/

/** Scans, discovered devices and the inbox. */
const DISCOVERY = /\/web\/src\/discovery\//

/** Changes, their undo, the moments of the past, and the dialog that shows the changes of a deletion. */
const HISTORY = /\/web\/src\/(history\/|resource\/object\/delete-confirm)/

/** The form of a device. */
const DEVICE_FORM = /\/web\/src\/devices\/form\/(device-drawer|address-f)/

const RACKS = /\/web\/src\/racks\/|\/src\/inventory\/racks\/placement\./

const DEVICE_TYPES = /\/web\/src\/device-types\//

/** The ports of devices and their cables. */
const CABLING = /\/web\/src\/(cables|ports)\//

const WEBHOOKS = /\/web\/src\/webhooks\//

/** Setting up a factor has the dialogs of the account. */
const LOGIN_FORM = /\/web\/src\/login\/(?!set-up-factor|options\.|has-passkeys|webauthn)/

/** The ceremonies of passkeys, which the account loads when one is made. */
const PASSKEYS = /\/web\/src\/login\/webauthn/

/** The live feed, and how its events refresh the lists. */
const LIVE = /\/web\/src\/live\/(apply|follow-feed|keys)/

/** OAuth clients, and how to connect them. */
const CLIENTS = /\/web\/src\/(oauth|connect)\//

/** Sources that the first page does not need. A moved one must be renamed here, so the build checks that each exists. */
const LOADED_LATER = [
  'src/contract/command-name.ts',
  'src/surfaces/cli/connection/foreign-answer.ts',
  'src/surfaces/cli/parse/command-text.ts',
  'src/contract/fields/hidden-characters.ts',
  'src/base/csv/csv-cell.ts',
  'src/net/dns-name.ts',
  'src/net/mac.ts',
  'src/net/origin.ts',
  'src/net/subject.ts',
  'src/convert/formats.ts',
  'src/base/csv/cells.ts',
  'src/base/csv/custom-columns.ts',
  'src/base/csv/csv.ts',
  'src/base/sheets/build-rows.ts',
  'src/base/sheets/decode-text.ts',
  'src/base/sheets/find-header.ts',
  'src/base/sheets/flag.ts',
  'src/base/sheets/guess-columns.ts',
  'src/base/sheets/join-rows.ts',
  'src/base/sheets/locate.ts',
  'src/base/sheets/sheet.ts',
  'src/base/sheets/statuses.ts',
  'src/base/sheets/subnet-text.ts',
  'src/base/sheets/unpacked-size.ts',
  'src/base/sheets/words.ts',
  'src/base/sheets/workbook.ts',
  'src/contract/own.ts',
  'src/contract/storable.ts',
  'src/inventory/sheets.ts',
  'src/exchange/feeds/catalogue.ts',
  'src/record/history/kind-names.ts',
  'src/inventory/racks/placement.ts',
  'src/inventory/vlans/vlan-scope.ts',
  'web/src/cables/fields.ts',
  'web/src/cables/resource.tsx',
  'web/src/datacenters/resource.ts',
  'web/src/device-types/fields.ts',
  'web/src/device-types/resource.tsx',
  'web/src/devices/bulk/batch.ts',
  'web/src/devices/window/windowed-table.tsx',
  'web/src/devices/window/matching-pages.ts',
  'web/src/export/fields.ts',
  'web/src/export/json-list.ts',
  'web/src/export/rows.ts',
  'web/src/export/save-code.ts',
  'web/src/export/stream-rows.ts',
  'web/src/networks/fields.ts',
  'web/src/networks/resource.ts',
  'web/src/pools/fields.ts',
  'web/src/pools/resource.ts',
  'web/src/ports/fields.ts',
  'web/src/ports/resource.ts',
  'web/src/racks/fields.ts',
  'web/src/racks/resource.ts',
  'web/src/resource/facts/known-fields.ts',
  'web/src/resource/object/managed-by.tsx',
  'web/src/reservations/fields.ts',
  'web/src/reservations/resource.ts',
  'web/src/spaces/fields.ts',
  'web/src/table/tall.ts',
  'web/src/vlans/fields.ts',
].map((path) => join(dirname(ROOT), path))

for (const path of [...EVALUATED, ...LOADED_LATER])
  if (!existsSync(path)) throw new Error(`web/build.ts names ${path}, which does not exist`)

/** Parts of a library that only pages outside of the first file use. */
const LATER_QUERIES =
  /\/node_modules\/@tanstack\/(query-core|react-query)\/.*\/(queriesObserver|infiniteQueryObserver|useQueries|useInfiniteQuery)\./

/** Reads and writes YAML, which only imports need. */
const YAML = /\/node_modules\/yaml\//

/** Reads workbooks, which only imports need. */
const WORKBOOKS = /\/node_modules\/hucre\//

/** Draws QR codes, which only a new authenticator app needs. */
const QR = /\/node_modules\/uqr\//

/** All other sources are one file: else the bundler makes one for each set of pages that share a module. */
const isShared = (id: string): boolean =>
  !LAZY.test(id) &&
  !LISTS.test(id) &&
  !LATER_FACTS.test(id) &&
  !ALL_LISTS.test(id) &&
  !LATER_QUERIES.test(id) &&
  !YAML.test(id) &&
  !WORKBOOKS.test(id) &&
  !QR.test(id) &&
  !id.includes(COMMANDS) &&
  !LOADED_LATER.includes(id)

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
          groups: [
            { name: 'app', test: isShared },
            // Before the lists, which it does without.
            { name: 'live', test: LIVE },
            {
              name: 'lists',
              test: (id) => [ALL_LISTS, LATER_FACTS, LISTS, PARTS, LATER_QUERIES].some((one) => one.test(id)),
            },
            { name: 'forms', test: FORMS },
            { name: 'device-form', test: DEVICE_FORM },
            // Before the others, which share code with them.
            { name: 'networks', test: (id) => NETWORKS.test(id) && !PLANNING.test(id) && !SPACES.test(id) },
            { name: 'planning', test: PLANNING },
            { name: 'spaces', test: SPACES },
            { name: 'pools', test: POOLS },
            { name: 'utilization', test: UTILIZATION },
            { name: 'custom', test: CUSTOM },
            { name: 'passkeys', test: PASSKEYS },
            // Before its other users, so that the sign-in page does not load their code.
            { name: 'login', test: LOGIN_FORM },
            { name: 'access', test: ACCESS },
            { name: 'dns', test: DNS },
            { name: 'discovery', test: DISCOVERY },
            { name: 'cabling', test: CABLING },
            { name: 'racks', test: RACKS },
            { name: 'device-types', test: DEVICE_TYPES },
            { name: 'webhooks', test: WEBHOOKS },
            { name: 'history', test: HISTORY },
            { name: 'clients', test: CLIENTS },
          ],
        },
      },
    },
  },
})
// For the server, which answers 404 at any other path.
writeFileSync(join(outDir, 'paths.json'), JSON.stringify(paths))
compressAll(join(outDir, 'assets'))
