/** The events of API keys. All of them make the listeners of the live feed be checked again. */
declare module '../../kernel/events.ts' {
  interface Events {
    'key.created': undefined
    'key.rotated': undefined
    'key.deleted': undefined
  }
}
