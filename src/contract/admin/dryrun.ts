import { Type } from '../schema.ts'

export const DryRun = Type.Boolean({ description: 'true: answer what would change, and write nothing.' })
