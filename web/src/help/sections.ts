/** The section of the documentation for each page of the UI. Loaded when it is asked for. */
import { RESOURCE_NAMES } from '../resource/facts/names.ts'

/** By the first part of the path. */
const SECTIONS: Readonly<Record<string, string>> = {
  '': 'web#finding-your-way',
  account: 'sign-in#second-factors',
  audit: 'audit#reading-it',
  cables: 'inventory#ports-and-cables',
  conflicts: 'events#conflicts',
  connect: 'mcp#connect',
  credentials: 'secrets#credentials',
  'custom-fields': 'inventory#custom-fields',
  activate: 'sign-in#command-line-and-ai-clients',
  'device-types': 'inventory#racks-and-device-types',
  'discovered-devices': 'discovery#discovered-devices',
  dns: 'dns#what-a-zone-holds',
  feeds: 'feeds#formats',
  groups: 'access#groups',
  history: 'history#reading-it',
  import: 'import-from#what-an-import-may-change',
  inbox: 'discovery#the-inbox',
  keys: 'access#api-keys',
  kinds: 'kinds#a-kind-in-a-minute',
  networks: 'inventory#addresses-and-networks',
  objects: 'kinds#objects',
  oauth: 'access#ai-clients-by-oauth',
  pools: 'inventory#free-addresses',
  ports: 'inventory#ports-and-cables',
  policies: 'proposals#policies',
  proposals: 'proposals#review-and-merge',
  racks: 'inventory#racks-and-device-types',
  reports: 'reports',
  request: 'proposals#asking-for-an-address',
  reservations: 'inventory#free-addresses',
  roles: 'access#roles',
  rules: 'discovery#schedules',
  scanners: 'scanners',
  scans: 'discovery#scans',
  scopes: 'access#scopes',
  settings: 'access',
  sources: 'sources',
  spaces: 'inventory#address-spaces',
  'sso-providers': 'sign-in#single-sign-on',
  system: 'operating#health',
  topology: 'web#topology',
  users: 'access#users',
  vlans: 'inventory#vlans',
  webhooks: 'events#webhooks',
}

const OBJECTS = 'inventory#objects'
const START = '/help/'

/**
 * Returns the URL of the section about a page.
 * @param path of the page, also of an object
 * @example findSection('/racks/01a2') // '/help/inventory#racks-and-device-types'
 */
export const findSection = (path: string): string => {
  const first = path.split('/')[1] ?? ''
  const section = SECTIONS[first] ?? (RESOURCE_NAMES.some((name) => name === first) ? OBJECTS : undefined)
  return section === undefined ? START : `${START}${section}`
}
