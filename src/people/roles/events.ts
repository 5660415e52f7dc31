/** The events of roles. All of them make the listeners of the live feed be checked again. */
import type { Role } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'role.created': undefined
    'role.updated': undefined
    'role.deleting': Role
    'role.deleted': undefined
  }
}
