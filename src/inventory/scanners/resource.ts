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
    hostname: { type: 'own', after: 'status' },
    version: { type: 'own', after: 'hostname' },
    protocol: { type: 'own', after: 'version' },
    is_outdated: { type: 'own', after: 'protocol' },
    capabilities: { type: 'own', after: 'is_outdated' },
    links: { type: 'own', after: 'capabilities' },
    slots: { type: 'own', after: 'links' },
    ip_address: { type: 'own', after: 'slots' },
    running_scans: { type: 'own', after: 'ip_address' },
    spooled_reports: { type: 'own', after: 'running_scans' },
    last_seen_at: { type: 'own', after: 'spooled_reports' },
    enrolled_at: { type: 'own', after: 'last_seen_at' },
  },
  columns: ['id', 'name', 'status', 'tags', 'version', 'last_seen_at'],
  identity: ['name'],
  scope: 'everywhere',
  operators: 'read',
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
