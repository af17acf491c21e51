import vm from 'node:vm';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';

/**
 * Jest's environment for Node with an ordinary global object. Jest's own one is behind a proxy and an interceptor, which
 * makes each use of `Math`, `JSON` or any other global several times slower than in production.
 */
export default class TestEnvironment extends NodeEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
