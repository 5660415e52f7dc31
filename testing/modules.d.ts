/** Types of a package without types, as far as the tests use it. */
declare module 'oidc-provider' {
  type Interaction = { readonly prompt: { readonly name: string } }
  type Context = { readonly oidc: { readonly client: { clientId: string }; readonly session: { accountId: string } } }
  type Grant = {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }
  // biome-ignore lint/style/noDefaultExport: it is what the package has
  export default class Provider {
    constructor(issuer: string, configuration: object)
    proxy: boolean
    callback(): (request: unknown, response: unknown) => void
    interactionFinished(request: unknown, response: unknown, result: object): Promise<void>
    interactionDetails(request: unknown, response: unknown): Promise<Interaction>
    on(event: string, listener: (...values: readonly unknown[]) => void): void
    Grant: new (of: {
      accountId: string
      clientId: string
    }) => Grant
    AccessToken: { find(token: string): Promise<object | undefined> }
  }
  export type { Context }
  export const errors: Readonly<Record<'InvalidTarget', new () => Error>>
}
