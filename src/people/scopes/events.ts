/** The events of scopes. All of them make the listeners of the live feed be checked again. */
import type { Scope } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'scope.created': undefined
    'scope.changing': Scope
    'scope.updated': undefined
    'scope.deleting': Scope
    'scope.deleted': undefined
  }
}
