export const schemathesisPath: string
