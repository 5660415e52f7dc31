/** The facts of scanners: programs in other networks that scan there for Plat. */
import { resource } from '../../resource/facts.ts'

export const scannerFacts = resource({
  name: 'scanners',
  noun: 'scanner',
  schema: 'Scanner',
  fields: {
    name: { type: 'name', filter: 'part', description: 'Networks name it, or one of its tags, as their scanner' },
    description: { type: 'text', max: 4096 },
    tags: { type: 'tags' },
    use_credentials: {
      type: 'flag',
      usual: false,
      description: 'Deep scans of this scanner receive the stored credentials, encrypted for it',
    },
  },
  computed: {
    status: { type: 'own', after: 'use_credentials' },
    hostname: { type: 'own', after: 'use_credentials' },
    version: { type: 'own', after: 'use_credentials' },
    protocol: { type: 'own', after: 'use_credentials' },
    is_outdated: { type: 'own', after: 'use_credentials' },
    capabilities: { type: 'own', after: 'use_credentials' },
    links: { type: 'own', after: 'use_credentials' },
    slots: { type: 'own', after: 'use_credentials' },
    ip_address: { type: 'own', after: 'use_credentials' },
    running_scans: { type: 'own', of: 'discovery', after: 'use_credentials' },
    spooled_reports: { type: 'own', after: 'use_credentials' },
    last_seen_at: { type: 'own', after: 'use_credentials' },
    enrolled_at: { type: 'own', after: 'use_credentials' },
  },
  columns: ['id', 'name', 'status', 'tags', 'version', 'last_seen_at'],
  identity: ['name'],
  scope: 'everywhere',
  operators: 'read',
  proposes: false,
  summaries: {
    list: 'List scanners, by name',
    create: 'Create a scanner, with the token by which it enrols',
    get: 'Show a scanner',
    update: 'Change some fields of a scanner',
    delete: 'Delete a scanner; its running scans fail, and what they found stays',
  },
  args: ['name'],
  isOptional: true,
  search: ['name', 'description'],
})
