// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

extension ManagedObjectContext {
  /// Returns the results of a dictionary request, as the values of each in the order of the columns.
  package func fetchTuples(_ request: FetchRequest<[String: Any]>) throws -> [ArraySlice<Value>] {
    checkQueue()
    processPendingChanges()
    return try fetcher.fetchTuples(fetcher.resolve(request), for: request)
  }
}
