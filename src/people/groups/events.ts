/** The events of groups. All of them make the listeners of the live feed be checked again. */
import type { Group } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'group.created': undefined
    'group.updated': undefined
    'group.deleting': Group
    'group.deleted': Group
    'group.member-added': undefined
    'group.member-removed': undefined
  }
}
