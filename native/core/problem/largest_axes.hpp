// The first principal directions of a symmetric matrix, by which levels of more than two classes are
// put in order.

#pragma once

#include <cstddef>
#include <vector>

namespace slp {

// An orthonormal basis of the eigenvectors of the largest eigenvalue of a symmetric matrix (k * k),
// and of those that are not less than it but for rounding: each of k numbers, of at least one. By
// Jacobi's rotations.
std::vector<std::vector<double>> largest_axes(std::vector<double> matrix, std::size_t k);

}  // namespace slp
