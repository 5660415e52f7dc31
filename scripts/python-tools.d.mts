// Types of python-tools.mjs, which is plain JavaScript because Node 20 runs it before Bun is there.

export const schemathesisPath: string
export const ansibleFolder: string
export const canailleFolder: string
export const motoServerPath: string
export const checkJsonschemaFolder: string
export const kubernetesValidatePath: string
export const patroniFolder: string
export const fontToolsPython: string
export const netboxFolder: string
export const netboxClientsFolder: string
export const goFromPypi: string
