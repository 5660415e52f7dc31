/** The events of users and of grants. All of them make the listeners of the live feed be checked again. */
declare module '../../kernel/events.ts' {
  interface Events {
    'user.created': undefined
    'user.updated': undefined
    /** The user can no longer sign in. */
    'user.deactivated': { readonly id: string }
    /** Features delete the objects of the user. */
    'user.deleting': { readonly id: string }
    'user.deleted': undefined
    'user.password-changed': { readonly id: string }
    /** These users have gained or lost a role. */
    'user.roles-changed': { readonly ids: readonly string[] }
    'grant.created': undefined
    'grant.deleted': undefined
  }
}
