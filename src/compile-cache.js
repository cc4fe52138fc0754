// Loaded before the program of `npm start`: Node keeps what it compiles, and the TypeScript without its types, which takes half of
// the processor time of loading the program, for later starts. As JavaScript, so that a later start does not load what removes types.
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

enableCompileCache(resolve(import.meta.dirname, '../node_modules/.cache/compiled'))
