/** The events of relationships. */
/** The ids of the two devices. */
export type Ends = { readonly parent_id: string; readonly child_id: string }

declare module '../../kernel/events.ts' {
  interface Events {
    'relationships.created': readonly Ends[]
    'relationship.deleted': Ends
  }
}
