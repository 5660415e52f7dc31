/** The files of the web UI: which sources the first one has, and which stand together in a file that is loaded later. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PAGES } from './src/pages.ts'

const ROOT = import.meta.dirname
/** The module with the facts of all commands, which `build.ts` generates. */
export const COMMANDS = 'virtual:commands'

/** The facts of all resources, and the rows of lists, which most files of pages need, and the first one not. */
const ALL_LISTS =
  /\/src\/(inventory\/resources|resource\/nouns)\.ts$|\/web\/src\/(resource\/facts\/menu-order|datacenters\/fields|networks\/subnet-key|table\/(engine|view|use-paged-view))\.ts$/
/** The pages of devices are in the first file. */
const LATER_FACTS = /\/src\/inventory\/(?!devices)[\w-]+\/resource\.ts$/

/** Folders with one file of pages each, loaded when they are opened. Pages of the first file are excluded in routes.tsx. */
const FIRST_FOLDERS = ['devices']
const PAGE_FOLDERS = [...Object.values(PAGES), 'login/', 'oauth/'].map((file) => file.split('/')[0] ?? '')
const LAZY_FOLDERS = [
  ...new Set(PAGE_FOLDERS),
  'addresses',
  'commands',
  'help',
  'lookup',
  'print',
  'start',
  'utilization',
].filter((one) => !FIRST_FOLDERS.includes(one))

/** Files of a lazy folder that the first file has. */
const FIRST_PARTS = [
  'resource',
  'fields',
  'active-',
  'known-',
  'lazy-',
  'use-address-dialog',
  String.raw`place\.ts`,
  String.raw`layout\.worker`,
  'command-menu',
  'printing',
  'subnet-key',
  'zones-query',
  String.raw`options\.`,
  'has-passkeys',
]

/** The beginnings of paths in web/src that the first file lacks. */
const LAZY_PATHS = [
  `(${LAZY_FOLDERS.join('|')})/(?!${FIRST_PARTS.join('|')})`,
  'devices/address-networks',
  'devices/addresses-tab',
  'devices/bulk/',
  'devices/form/(address-f|device-drawer|duplicate)',
  'devices/relate-dialog',
  'devices/relationships-tab',
  'live/(apply|follow-feed)',
  'overview/attention',
  'palette/(results|entries|order)',
  'resource/(build-resource|change-dialog|declared|owned-resource|resource-form)',
  'resource/form/',
  'resource/object/delete-confirm',
  'resource/related/(references|related)',
  'shell/(key-sheet|phone-bar)',
  'table/plan/',
  'ui/combobox',
  'views/(view-dialogs|change-views|move-stored|count-view|pinned-list)',
]

const LAZY = new RegExp(`/web/src/(${LAZY_PATHS.join('|')})`)

/** Icons that only later files show. */
const LATER_ICONS =
  /\/lucide-react\/.*\/icons\/(arrow-right|chevron-up|circle-x|dices|ellipsis|eye|eye-off|grip-vertical|menu|moon|rotate-cw|smartphone|sun|undo-2)\.m?js$/

/** Pages of users and permissions. */
const ACCESS = /\/web\/src\/(access|account)\//

/** Parts of the pages of users and ports that others have too: a separate file would cost each of them a request. */
const PARTS =
  /\/src\/net\/origin\.|\/web\/src\/(connect\/code-block|access\/(access\.module|secret-field|queries)|ports\/(fields|range|labels))\./

/** The pages of zones and of feeds, which share the choice of devices. */
const DNS = /\/web\/src\/(dns|feeds)\//

/** Parts of lists that the first pages lack. */
const LISTS =
  /\/web\/src\/(resource\/(batch|build-resource|list-page|owned-resource|name-column|row-menu|tree\/[\w-]+)|help\/(section-link|sections)|pools\/(fields|resource)|reservations\/(fields|resource)|table\/(local-table|time-column)|discovery\/span|ui\/(switch|use-settled)|addresses\/(use-address-dialog|lazy-address-map|place))\./

/** Pages of networks, and what other pages show of them. */
const NETWORKS =
  /\/web\/src\/(datacenters|networks|vlans)\/|\/web\/src\/scanners\/label-control|\/src\/inventory\/vlans\//

/** Dialogs of networks, loaded when they are opened. */
const PLANNING =
  /\/web\/src\/networks\/(space-(tab|bar)|planning\/((subnet|split|merge)-dialog|planning-queries|length-slider|moved-text))/

/** The pages of address spaces and VLANs. */
const SPACES = /\/web\/src\/(spaces\/|vlans\/(vlans-page|unnamed|vlans\.module))/

/** Pages of pools with the map of addresses and the dialog of a free one, which pages of networks load when they are opened. */
const POOLS = /\/web\/src\/(pools|reservations|addresses)\//

const OVERVIEW = /\/web\/src\/overview\//

const UTILIZATION = /\/web\/src\/utilization\//

/** The form of every resource with the fields of references, and the dialogs of changes, which a page loads when it is quiet or used. */
const FORMS =
  /\/web\/src\/(resource\/(change-dialog|resource-form|form\/(choice-field|corrections|form-dialog|form-sections|many-field|reference-field|referred(-facts)?|rows-field|submit-buttons|use-change|use-focus-row))|ui\/combobox)\./

/** Values of custom fields in forms, lists and details. */
const CUSTOM = /\/web\/src\/custom-fields\/(?!known-|custom-fields-page|editor\/|definition-(?!s))/

/** The editor of custom fields. */
const DEFINITIONS = /\/web\/src\/custom-fields\/(editor\/|definition-(?!s))/

/** Scans, discovered devices and the inbox. */
const DISCOVERY = /\/web\/src\/discovery\//

/** The strip of presence, on the pages of devices. */
const PRESENCE = /\/web\/src\/discovery\/presence\/(strip|presence)/

/** The pages of scanners, and their labels in the form of a network. */
const SCANNERS = /\/web\/src\/scanners\//

/** Changes, their undo, the moments of the past, and the dialog that shows the changes of a deletion. */
const HISTORY = /\/web\/src\/(history\/(?!clock-dialog|moments\/moment-field)|resource\/object\/delete-confirm)/

/** The field for a moment, and the dialog of the clock, loaded when they are opened. */
const MOMENTS = /\/web\/src\/history\/(clock-dialog|moments\/moment-field)/

/** The form of a device. */
const DEVICE_FORM = /\/web\/src\/(devices\/form\/(device-drawer|address-f)|racks\/mount-fields)/

/** Dialogs of several devices, and of devices in racks, loaded when they are opened. */
const DEVICE_DIALOGS = /\/web\/src\/(devices\/(bulk\/(?!bulk-bar)|form\/duplicate)|racks\/place\/)/

const RACKS = /\/web\/src\/racks\/(?!place\/)|\/src\/inventory\/racks\/placement\./

const DEVICE_TYPES = /\/web\/src\/device-types\//

/** The ports of devices and their cables. */
const CABLING = /\/web\/src\/(cables|ports)\//

const WEBHOOKS = /\/web\/src\/webhooks\//

/** Setting up a factor has the dialogs of the account. */
const LOGIN_FORM = /\/web\/src\/login\/(?!set-up-factor|options\.|has-passkeys|webauthn)/

/** The ceremonies of passkeys, which the account loads when one is made. */
const PASSKEYS = /\/web\/src\/login\/webauthn/

/** Loaded once the page is quiet: the live feed, how its events refresh the lists, the palette, the settings, and the news of proposals. */
const LIVE =
  /\/web\/src\/(live\/(apply|follow-feed)|palette\/(results|entries|order)|settings\/settings-list|proposals\/(own-news|entry-words|looks))/

/** Small parts of few pages, in the file that every page loads later: separate files would cost requests. */
const SMALL_PARTS =
  /\/src\/(resource\/custom\/condition-fields|contract\/impact-summary|net\/words\/host-text|inventory\/kinds\/names)\.ts$|\/web\/src\/(api\/remembered-texts|resource\/object\/(band|paged-table|pack-owner)|kinds\/known-kinds)\./

/** The table of a plan with its values, of imports and of sources, and the card of a device with them. */
const PLANS = /\/web\/src\/(table\/plan|import\/labels|sources\/(objects\/(said-card|queries|words)|queries)\.)/

/** Proposals and requests. */
const PROPOSALS = /\/web\/src\/(proposals|request)\/(?!known-)/

/** Policies, which have parts of the pages of users. */
const POLICIES = /\/web\/src\/policies\//

/** The pages of sources. */
const SOURCES = /\/web\/src\/sources\//

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
  'src/net/range.ts',
  'src/net/subject.ts',
  'src/convert/formats.ts',
  'src/base/csv/cells.ts',
  'src/base/csv/custom-columns.ts',
  'src/base/csv/csv.ts',
  'src/base/sheets/described.ts',
  'src/base/sheets/flag.ts',
  'src/base/sheets/guess-columns.ts',
  'src/base/sheets/locate.ts',
  'src/base/sheets/sheet.ts',
  'src/base/sheets/subnet-text.ts',
  'src/base/sheets/words.ts',
  'src/contract/own.ts',
  'src/contract/storable.ts',
  'src/net/words/container-bridge.ts',
  'src/inventory/sheets.ts',
  'src/exchange/feeds/catalogue.ts',
  'src/exchange/import/recordings.ts',
  'src/record/history/kind-names.ts',
  'src/inventory/racks/placement.ts',
  'src/inventory/vlans/vlan-scope.ts',
  'web/src/cables/fields.ts',
  'web/src/cables/resource.tsx',
  'web/src/datacenters/resource.ts',
  'web/src/device-types/fields.ts',
  'web/src/device-types/resource.tsx',
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
  'web/src/scanners/fields.ts',
  'web/src/scanners/resource.ts',
  'web/src/spaces/fields.ts',
  'web/src/export/shown.tsx',
  'web/src/table/tall.ts',
  'web/src/vlans/fields.ts',
].map((path) => join(dirname(ROOT), path))

for (const path of LOADED_LATER)
  if (!existsSync(path)) throw new Error(`web/file-groups.ts names ${path}, which does not exist`)

/** The links of kinds with their icons, loaded with the sidebar if there are kinds. */
const KIND_LINKS = /\/web\/src\/kinds\/(kind-links|icons)\./
const KIND_ICONS =
  /\/lucide-react\/.*\/icons\/(activity|archive|box|briefcase|calendar|circuit-board|cloud|contact|cpu|database|file-text|flag|folder|globe|hash|key|landmark|link|mail|map|map-pin|monitor|package|phone|printer|radio|receipt|route|router|shield|star|tag|truck|wallet|wifi|wrench)\.m?js$/

/** The definition of a kind and the packs, loaded when they are opened. */
const KIND_FORMS = /\/web\/src\/kinds\/(definition-tab|new-kind|draft|field-rows|switches|packs\/(?!pack-dialog))/

/** The pages of kinds and their objects. */
const KINDS = /\/web\/src\/kinds\/(?!definition-tab|new-kind|draft|field-rows|switches|packs\/)/

/** The objects that name the object of a page. */
const RELATED = /\/web\/src\/resource\/related\/(references|related)/

/** Parts of a library that only pages outside of the first file use. */
const LATER_QUERIES =
  /\/node_modules\/@tanstack\/(query-core|react-query)\/.*\/(queriesObserver|infiniteQueryObserver|useQueries|useInfiniteQuery)\./

/** Reads and writes YAML, which only imports need. */
const YAML = /\/node_modules\/yaml\//

/** Draws QR codes, which only a new authenticator app needs. */
const QR = /\/node_modules\/uqr\//

/** All other sources are one file: else the bundler makes one for each set of pages that share a module. */
const isShared = (id: string): boolean =>
  !LAZY.test(id) &&
  !LATER_ICONS.test(id) &&
  !KIND_ICONS.test(id) &&
  !LISTS.test(id) &&
  !SMALL_PARTS.test(id) &&
  !LATER_FACTS.test(id) &&
  !ALL_LISTS.test(id) &&
  !LATER_QUERIES.test(id) &&
  !YAML.test(id) &&
  !QR.test(id) &&
  !id.includes(COMMANDS) &&
  !LOADED_LATER.includes(id)

/** The files in the order in which they take their sources. */
export const FILE_GROUPS = [
  { name: 'app', test: isShared },
  // Before the lists, which it does without.
  { name: 'live', test: (id: string) => LIVE.test(id) || SMALL_PARTS.test(id) },
  {
    name: 'lists',
    test: (id: string) => [ALL_LISTS, LATER_FACTS, LISTS, PARTS, LATER_QUERIES].some((one) => one.test(id)),
  },
  { name: 'forms', test: FORMS },
  { name: 'device-form', test: DEVICE_FORM },
  // Before the others, which share code with them.
  { name: 'networks', test: (id: string) => NETWORKS.test(id) && !PLANNING.test(id) && !SPACES.test(id) },
  { name: 'planning', test: PLANNING },
  { name: 'spaces', test: SPACES },
  { name: 'pools', test: POOLS },
  { name: 'overview', test: OVERVIEW },
  { name: 'utilization', test: UTILIZATION },
  { name: 'custom', test: CUSTOM },
  { name: 'definitions', test: DEFINITIONS },
  { name: 'passkeys', test: PASSKEYS },
  // Before its other users, so that the sign-in page does not load their code.
  { name: 'login', test: LOGIN_FORM },
  { name: 'access', test: ACCESS },
  { name: 'dns', test: DNS },
  // Before discovery, which devices do without.
  { name: 'presence', test: PRESENCE },
  { name: 'discovery', test: DISCOVERY },
  { name: 'scanners', test: SCANNERS },
  { name: 'cabling', test: CABLING },
  { name: 'racks', test: RACKS },
  { name: 'device-types', test: DEVICE_TYPES },
  { name: 'webhooks', test: WEBHOOKS },
  { name: 'history', test: HISTORY },
  { name: 'moments', test: MOMENTS },
  { name: 'clients', test: CLIENTS },
  { name: 'kind-links', test: (id: string) => KIND_LINKS.test(id) || KIND_ICONS.test(id) },
  // Before their forms, which use parts of them.
  { name: 'kinds', test: KINDS },
  { name: 'kind-forms', test: KIND_FORMS },
  { name: 'related', test: RELATED },
  { name: 'plans', test: PLANS },
  { name: 'sources', test: SOURCES },
  { name: 'proposals', test: PROPOSALS },
  { name: 'policies', test: POLICIES },
  // The last, because they use parts of many pages.
  { name: 'device-dialogs', test: DEVICE_DIALOGS },
]
