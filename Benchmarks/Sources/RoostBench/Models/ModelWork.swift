// SPDX-License-Identifier: Apache-2.0

/// The measurements with a custom model, in this order.
enum ModelWork: String, CaseIterable {
  case insert, read, follow, change, delete

  var title: String {
    switch self {
    case .insert: "make all objects and save them"
    case .read: "fetch all objects and read every attribute by its key"
    case .follow: "fetch all objects and read every to-one relationship"
    case .change: "change one attribute of a tenth of the objects, save"
    case .delete: "delete a tenth of the objects by the model's rules, save"
    }
  }
}
